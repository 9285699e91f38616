"""Adam: the first step has the length of the learning rate, whatever the gradient."""

import torch

for setting in [{}, {"betas": (0.5, 0.9)}, {"weight_decay": 0.1}, {"eps": 1.0}]:
    w = torch.tensor([1.0, -200.0], requires_grad=True)
    optimizer = torch.optim.Adam([w], lr=0.1, **setting)
    print(setting)
    for _ in range(3):
        optimizer.zero_grad()
        (w**2).sum().backward()
        optimizer.step()
        print(w.detach())
