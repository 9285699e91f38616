import torch
w = torch.ones(2, requires_grad=True)
total = 0.0
for k in range(2):
    loss = (w * k).sum()
    total += loss.item()
total = torch.tensor(total)
total.backward()
