"""gradcheck compares with finite differences: True, or an error, or False if asked."""

import torch
from torch.autograd import gradcheck

x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
w = torch.tensor([[0.5, -1.0]], dtype=torch.float64, requires_grad=True)
print(gradcheck(lambda t: t.exp() * t, x))
print(gradcheck(lambda t, m: (m * t).tanh().sum(1), (x, w)))
try:
    gradcheck(lambda t: t * t.detach(), x)
except RuntimeError as e:
    print(type(e).__name__)
    print(e)
print(gradcheck(lambda t: t * t.detach(), x, raise_exception=False))
try:
    gradcheck(torch.exp, x.detach())
except ValueError as e:
    print(e)
