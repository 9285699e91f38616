"""train() and eval() set a flag in all modules and do not concern recording."""

import torch
from torch import nn

net = nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.ReLU()))
print(net.training, net.eval().training, net[1][0].training)
print(net(torch.ones(1, 2)).requires_grad)
net.train()
print([module.training for module in net.modules()])
net[1].eval()
print([module.training for module in net.modules()])
with torch.no_grad():
    print(net(torch.ones(1, 2)).requires_grad)
