"""autograd.grad gives a tuple, one entry for each input, even if one tensor comes twice."""

import torch

x = torch.tensor(3.0, requires_grad=True)
h = x * x
print(torch.autograd.grad(h, x, retain_graph=True))
print(torch.autograd.grad(h, [x, h, x], retain_graph=True))
(g,) = torch.autograd.grad(h * h, h)
print(g, g.requires_grad, x.grad)
