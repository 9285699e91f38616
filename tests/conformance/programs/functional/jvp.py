"""jvp gives the outputs and J v."""

import torch
from torch.autograd.functional import jvp

A = torch.tensor([[1.0, 2.0], [0.0, 3.0], [4.0, 1.0]])
x = torch.tensor([1.0, 1.0])
print(jvp(lambda t: A @ t, x, torch.tensor([1.0, 10.0])))
print(jvp(lambda t: t**3, torch.tensor(2.0)))
for v in [None, torch.ones(3)]:
    try:
        jvp(lambda t: A @ t, x, v)
    except RuntimeError as e:
        print(e)
