"""A cast makes a new tensor, unless the dtype is the same."""

import torch

a = torch.ones(2, requires_grad=True)
b = a.double()
c = a.to(torch.float32)
d = torch.ones(2).double().requires_grad_()
print(b.is_leaf, c.is_leaf, d.is_leaf)
print(c is a)
b.sum().backward()
print(a.grad, a.grad.dtype)
