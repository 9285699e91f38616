"""Momentum, weight decay, dampening and Nesterov, three steps each."""

import torch

settings = [
    {"momentum": 0.9},
    {"momentum": 0.9, "nesterov": True},
    {"momentum": 0.9, "dampening": 0.5},
    {"weight_decay": 0.1},
    {"momentum": 0.5, "weight_decay": 0.1, "nesterov": True},
]
for setting in settings:
    w = torch.tensor([1.0, -2.0], requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1, **setting)
    print(setting)
    for _ in range(3):
        optimizer.zero_grad()
        (w**2).sum().backward()
        optimizer.step()
        print(w.detach())
