"""vectorize=True changes how, not what."""

import torch
from torch.autograd.functional import hessian, jacobian

x = torch.tensor([0.5, 1.0, 1.5])
print(jacobian(lambda t: t.cumsum(0) ** 2, x, vectorize=True))
print(jacobian(lambda t: t.cumsum(0) ** 2, x))
print(hessian(lambda t: t.prod(), x, vectorize=True))
