"""The hook of a leaf gets the gradient of this backward, not what .grad holds already."""

import torch

x = torch.tensor(2.0, requires_grad=True)
x.register_hook(lambda g: print("arrives", g, "stored", x.grad))
for _ in range(3):
    (x * x).backward()
print(x.grad)
