"""A vector has no implicit gradient; its sum has."""

import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x * 2
try:
    y.backward()
except RuntimeError as e:
    print(type(e).__name__, str(e).split("\n")[0])
print(y.shape, x.grad)
y.sum().backward()
print(x.grad)
