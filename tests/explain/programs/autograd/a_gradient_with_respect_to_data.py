import torch
w = torch.ones(2, requires_grad=True)
x = torch.linspace(0, 1, 2)
u = (w * x ** 2).sum()
torch.autograd.grad(u, x)
