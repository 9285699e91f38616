"""A second derivative needs create_graph."""

import torch

x = torch.tensor(2.0, requires_grad=True)
(g,) = torch.autograd.grad(x**3, x)
print(g, g.requires_grad)
(g1,) = torch.autograd.grad(x**3, x, create_graph=True)
(g2,) = torch.autograd.grad(g1, x, create_graph=True)
(g3,) = torch.autograd.grad(g2, x)
print(g1.item(), g2.item(), g3.item(), g1.requires_grad, g3.requires_grad)
