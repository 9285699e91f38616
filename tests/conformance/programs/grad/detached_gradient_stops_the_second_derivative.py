"""Detaching the first gradient makes it a constant for the second pass."""

import torch

x = torch.tensor(2.0, requires_grad=True)
y = x**3
(g,) = torch.autograd.grad(y, x, create_graph=True)
(g * x).backward(retain_graph=True)
print(x.grad)
x.grad = None
(g.detach() * x).backward()
print(x.grad)
