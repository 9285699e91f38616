import torch

x = torch.linspace(-1, 1, 5, requires_grad=True)
y = x ** 3

dy = torch.autograd.grad(y.sum(), x, create_graph=True)[0]
d2y = torch.autograd.grad(dy.sum(), x)[0]
print("x   ", x.detach())
print("y'  ", dy.detach())
print("y'' ", d2y)
