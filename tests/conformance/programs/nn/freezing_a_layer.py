"""A frozen layer gets no gradient, but lets gradients through to what lies before it."""

import torch
from torch import nn

torch.manual_seed(0)
first, second = nn.Linear(2, 2), nn.Linear(2, 1)
for p in second.parameters():
    p.requires_grad_(False)
net = nn.Sequential(first, nn.Tanh(), second)
net(torch.tensor([[1.0, 2.0]])).sum().backward()
for name, p in net.named_parameters():
    print(name, p.requires_grad, None if p.grad is None else p.grad.tolist() != [0.0, 0.0])
optimizer = torch.optim.SGD([p for p in net.parameters() if p.requires_grad], lr=0.1)
before = [p.clone() for p in net.parameters()]
optimizer.step()
print([torch.equal(p, old) for p, old in zip(net.parameters(), before, strict=True)])
net.requires_grad_(False)
print(net(torch.tensor([[1.0, 2.0]])).requires_grad)
