"""Several outputs and inputs give a tuple of tuples."""

import torch
from torch.autograd.functional import jacobian

x, y = torch.tensor([1.0, 2.0]), torch.tensor(3.0)
J = jacobian(lambda s, t: (s * t, s.prod()), (x, y))
print(type(J).__name__, len(J), len(J[0]))
for row in J:
    for block in row:
        print(block)
