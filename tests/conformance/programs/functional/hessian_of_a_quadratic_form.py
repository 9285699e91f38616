"""The Hessian of x A x is A + A.T, and that of a linear function is zero."""

import torch
from torch.autograd.functional import hessian

A = torch.tensor([[1.0, 2.0], [5.0, -3.0]])
x = torch.tensor([1.0, 1.0])
print(hessian(lambda t: t @ A @ t, x))
print(hessian(lambda t: (t * 3).sum(), x))
print(hessian(lambda t: t.exp().prod(), x * 0))
