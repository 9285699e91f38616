"""Without zero_grad() the steps use the sum of all gradients so far."""

import torch

for zeroed in [True, False]:
    w = torch.tensor([1.0], requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)
    path = []
    for _ in range(5):
        if zeroed:
            optimizer.zero_grad()
        (w**2).sum().backward()
        optimizer.step()
        path.append(f"{w.item():.4f}")
    print(zeroed, *path)
