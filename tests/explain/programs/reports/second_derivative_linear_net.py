import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1, 4), nn.Linear(4, 1))
x = torch.linspace(0, 1, 5).reshape(-1, 1).requires_grad_()
u = net(x)
ux = torch.autograd.grad(u, x, torch.ones_like(u), create_graph=True)[0]
print(ux)
uxx = torch.autograd.grad(ux, x, torch.ones_like(ux), create_graph=True)[0]
print(uxx)
