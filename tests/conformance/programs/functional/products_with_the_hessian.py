"""vhp and hvp give the value and the product with the Hessian."""

import torch
from torch.autograd.functional import hessian, hvp, vhp


def f(t):
    return (t**3).sum() + t[0] * t[1]


x, v = torch.tensor([1.0, 2.0]), torch.tensor([1.0, -1.0])
print(vhp(f, x, v))
print(hvp(f, x, v))
print(hessian(f, x) @ v)
