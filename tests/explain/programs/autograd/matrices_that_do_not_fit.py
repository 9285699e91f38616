import torch
A = torch.ones(3, 2, requires_grad=True)
x = torch.ones(4, 2)
y = A @ x
