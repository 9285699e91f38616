"""A clone may be changed in place, and is differentiated through."""

import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x.clone()
y *= 10
y[0] = 0.0
print(y.is_leaf)
y.sum().backward()
print(x, x.grad)
