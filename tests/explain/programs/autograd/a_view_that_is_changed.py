import torch
x = torch.ones(5, requires_grad=True)
y = x.view(5)
y[0] = 3.0
