"""A product made at creation is no leaf."""

import torch

a = torch.tensor(5.0, requires_grad=True) * 0.1
b = torch.tensor(2.0, requires_grad=True)
print(a.is_leaf, b.is_leaf, a.requires_grad)
a.retain_grad()
(a + b).backward()
print(a.grad, b.grad)
c = torch.tensor(5.0) * 0.1
c.requires_grad = True
print(c.is_leaf, c.grad_fn)
