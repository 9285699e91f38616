"""A Sequential: its text, its parameters and one backward."""

import torch
from torch import nn

torch.manual_seed(1)
net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1), nn.Sigmoid())
print(net)
for name, p in net.named_parameters():
    print(name, tuple(p.shape), p.requires_grad, p.is_leaf)
print(len(net), net[0], len(list(net.parameters())), sum(p.numel() for p in net.parameters()))
out = net(torch.tensor([[1.0, -1.0], [0.5, 2.0]]))
print(out)
out.sum().backward()
for p in net.parameters():
    print(p.grad)
