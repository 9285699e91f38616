"""vjp gives the outputs and v^T J."""

import torch
from torch.autograd.functional import vjp

A = torch.tensor([[1.0, 2.0], [0.0, 3.0], [4.0, 1.0]])
x = torch.tensor([1.0, 1.0])
print(vjp(lambda t: A @ t, x, torch.tensor([1.0, 10.0, 100.0])))
print(vjp(lambda t: (t * t).sum(), x))
print(vjp(lambda s, t: s * t, (x, x * 2), torch.tensor([1.0, 0.5])))
for v in [None, torch.ones(2)]:
    try:
        vjp(lambda t: A @ t, x, v)
    except RuntimeError as e:
        print(e)
