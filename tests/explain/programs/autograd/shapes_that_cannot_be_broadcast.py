import torch
A = torch.ones(3, 2, requires_grad=True)
b = torch.ones(3)
y = A + b
