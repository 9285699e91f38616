import torch
x = torch.ones(3, requires_grad=True)
y = (x ** 3).sum()
(g,) = torch.autograd.grad(y, x)
g.sum().backward()
