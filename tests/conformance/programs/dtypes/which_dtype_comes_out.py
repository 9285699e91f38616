"""Tensors with dimensions decide, 0-d tensors and numbers only if of a higher kind."""

import torch

i, f, d = torch.tensor([1, 2]), torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.0], dtype=torch.float64)
b, d0, i0 = torch.tensor([True, False]), torch.tensor(2.0, dtype=torch.float64), torch.tensor(2)
results = [i + 1, i + 1.5, i / 2, i + True, b + b, b + 1, f + i, f * d, f * d0, i * d0, f + i0, b * 0.5, i0 / i0, f > d]
for y in results:
    print(y, y.dtype)
