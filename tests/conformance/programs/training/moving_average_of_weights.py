"""A moving average of the weights, kept outside the graph."""

import copy

import torch
from torch import nn

model = nn.Linear(2, 1, bias=False)
with torch.no_grad():
    model.weight.fill_(1.0)
average = copy.deepcopy(model)
average.requires_grad_(False)
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
for _ in range(3):
    optimizer.zero_grad()
    model(torch.tensor([1.0, 2.0])).sum().backward()
    optimizer.step()
    with torch.no_grad():
        for a, p in zip(average.parameters(), model.parameters(), strict=True):
            a.mul_(0.9).add_(p, alpha=0.1)
    print(model.weight.detach(), average.weight)
print(average.weight.grad, average.weight.requires_grad)
