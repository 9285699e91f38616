import torch
x = torch.ones(4, requires_grad=True)
y = x.data * 2
loss = y.sum()
loss.backward()
