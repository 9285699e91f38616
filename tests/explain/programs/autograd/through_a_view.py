import torch
x = torch.ones(2, 3, requires_grad=True)
y = x * 2
p = y ** 2
row = y[0]
row.zero_()
p.sum().backward()
