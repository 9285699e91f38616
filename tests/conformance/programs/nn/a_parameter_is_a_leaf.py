"""A Parameter is a leaf that requires grad."""

import torch

p = torch.nn.Parameter(torch.tensor([1.0, 2.0]))
print(p)
print(p.requires_grad, p.is_leaf, isinstance(p, torch.Tensor))
(p * p).sum().backward()
print(p.grad, type(p.grad) is torch.Tensor)
print(type(p * 1) is torch.nn.Parameter, (p * 1).is_leaf)
