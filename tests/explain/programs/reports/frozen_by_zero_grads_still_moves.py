import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1, weight_decay=0.1)
before = net[0].weight.clone()
for step in range(3):
    opt.zero_grad()
    net(torch.ones(1, 2)).sum().backward()
    net[0].weight.grad.zero_()
    net[0].bias.grad.zero_()
    opt.step()
print((net[0].weight - before).detach())
net[0].weight.grad = None
before = net[0].weight.clone()
opt.step()
print((net[0].weight - before).abs().max().item())
