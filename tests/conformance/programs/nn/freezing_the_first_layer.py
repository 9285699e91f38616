"""With the first layer frozen, the graph begins after it."""

import torch
from torch import nn

torch.manual_seed(5)
net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
net[0].requires_grad_(False)
hidden = net[:2](torch.ones(1, 2))
print(hidden.requires_grad, hidden.grad_fn)
net(torch.ones(1, 2)).sum().backward()
print([p.grad is None for p in net.parameters()])
net[0].weight.requires_grad = True
net(torch.ones(1, 2)).sum().backward()
print([p.grad is None for p in net.parameters()])
