"""A saved input that was changed in place is noticed."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
a = x * 1
b = a**2
a[0] = 7.0
try:
    b.sum().backward()
except RuntimeError as e:
    print(type(e).__name__, str(e).split("\n")[0])
print(x.grad)
