"""Two inputs give four blocks."""

import torch
from torch.autograd.functional import hessian

a, b = torch.tensor([1.0, 2.0]), torch.tensor([3.0])
H = hessian(lambda s, t: (s**2).sum() * t.sum() ** 2, (a, b))
for row in H:
    for block in row:
        print(block.shape, block.tolist())
