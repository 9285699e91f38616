import torch
w = torch.ones(2, requires_grad=True)
total = 0
for i in range(3):
    total += (w * i).sum()
    total.backward()
