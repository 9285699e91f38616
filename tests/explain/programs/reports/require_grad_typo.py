import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 1))
for p in net[0].parameters():
    p.require_grad = False
opt = torch.optim.SGD(net[2].parameters(), lr=0.1)
loss = net(torch.ones(3, 2)).mean()
loss.backward()
opt.step()
print(net[0].weight.grad is None, net[0].weight.requires_grad)
