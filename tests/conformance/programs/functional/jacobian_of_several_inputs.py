"""Several inputs give a tuple of Jacobians."""

import torch
from torch.autograd.functional import jacobian

a, b = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0, 5.0])
for J in jacobian(lambda s, t: s.sum() * t**2, (a, b)):
    print(J.shape)
    print(J)
print(jacobian(lambda s: (s * 2).sum(), (a,)))
