import torch
x = torch.ones(3, requires_grad=True)
y = x * 2
y[0] = 5.0
z = (y ** 2).sum()
w = y.detach()
w[1] = 7
z.backward()
