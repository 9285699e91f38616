"""Integers and bools take part as constants."""

import torch

x = torch.tensor([1.5, 2.5, -3.0], requires_grad=True)
n = torch.tensor([1, 2, 3])
for y in [x * n, n / x, x + (x > 0), x ** torch.tensor([2, 1, 2]), n - x, x * True]:
    x.grad = None
    y.sum().backward()
    print(y, x.grad)
try:
    (n * n).sum().backward()
except RuntimeError as e:
    print(e)
