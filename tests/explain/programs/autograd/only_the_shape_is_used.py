import torch
x = torch.ones(3, requires_grad=True)
y = torch.zeros_like(x)
loss = (y + 1).sum()
loss.backward()
