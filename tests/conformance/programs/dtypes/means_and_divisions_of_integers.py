"""mean() of integers is refused, / gives floats, sum() of bools counts."""

import torch

n = torch.tensor([[1, 2], [3, 4]])
try:
    n.mean()
except RuntimeError as e:
    print(e)
print(n.float().mean(), n.sum(), n.sum(0), n.prod(), n.max(), n / 2, n * n)
b = n > 2
print(b, b.sum(), b.float().mean(), ~b, b & (n < 4), b | (n == 1), b.all(), b.any())
for f in [lambda: -b, lambda: b - b, lambda: n**-1]:
    try:
        f()
    except RuntimeError as e:
        print(e)
