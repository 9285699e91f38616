"""A result requires grad as soon as one of its inputs does."""

import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
x = torch.tensor([3.0, 4.0])
p = x * x
q = x * w
print(p.requires_grad, p.is_leaf, q.requires_grad, q.is_leaf)
q.sum().backward()
print(w.grad, x.grad)
