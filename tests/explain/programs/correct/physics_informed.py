import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
opt = torch.optim.Adam(net.parameters(), lr=0.01)
t = torch.linspace(0, 1, 10)[:, None].requires_grad_()
start = torch.zeros(1, 1)
for step in range(10):
    u = net(t)
    du = torch.autograd.grad(u, t, torch.ones_like(u), create_graph=True)[0]
    ddu = torch.autograd.grad(du, t, torch.ones_like(du), create_graph=True)[0]
    loss = ((ddu + u) ** 2).mean() + (net(start) - 1).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
