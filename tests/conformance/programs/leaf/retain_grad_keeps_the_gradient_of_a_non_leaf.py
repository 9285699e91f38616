"""retain_grad() keeps the gradient of an intermediate result."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 3
h.retain_grad()
print(h.retains_grad, h.is_leaf, h.grad)
(h**2).sum().backward()
print(h.grad)
print(x.grad)
