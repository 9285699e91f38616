"""f = ab + cd^2/e and its five gradients."""

import torch

a, b, c, d, e = (torch.tensor(v, requires_grad=True) for v in [2.0, 4.0, 6.0, 8.0, 10.0])
f = a * b + c * d**2 / e
print(f)
f.backward()
for t in [a, b, c, d, e]:
    print(t.grad)
