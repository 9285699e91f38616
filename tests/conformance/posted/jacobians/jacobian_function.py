import torch
from torch.autograd.functional import jacobian

def f(x):
    return torch.stack([x[0] * x[1], x[0] ** 2, torch.sin(x[1])])

x = torch.tensor([2.0, 0.0])
J = jacobian(f, x)
print(J)
print(J.shape)
