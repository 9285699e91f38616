"""The Jacobian has the shape of the output followed by that of the input."""

import torch
from torch.autograd.functional import jacobian

x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
J = jacobian(lambda t: t.sum(dim=1) * t[0, 0], x)
print(J.shape)
print(J)
print(jacobian(torch.sum, x))
