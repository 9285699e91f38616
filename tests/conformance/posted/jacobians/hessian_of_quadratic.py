import torch
from torch.autograd.functional import hessian

Q = torch.tensor([[2.0, 1.0], [1.0, 4.0]])

def quad(v):
    return 0.5 * v @ Q @ v

H = hessian(quad, torch.tensor([0.3, -1.0]))
print(H)
print((H == Q).all().item())
