"""A change in place is no error where backward does not need the old value."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 2
y.add_(1)
y *= 3
y += x
print(y, y._version)
y.sum().backward()
print(x.grad)
