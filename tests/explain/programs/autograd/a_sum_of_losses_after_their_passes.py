import torch
w = torch.ones(3, requires_grad=True)
total = 0
for x in torch.eye(3):
    loss = ((w * x).sum() - 2) ** 2
    total += loss
    loss.backward()
total.backward()
