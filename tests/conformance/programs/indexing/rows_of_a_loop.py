"""A loop over a tensor gives its rows, each with a gradient of its own."""

import torch

x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
total = 0
for i, row in enumerate(x):
    print(row)
    total = total + (i + 1) * (row * row).sum()
total.backward()
print(len(x), total, x.grad)
first, second = x
print([float(v) for v in first.detach()], second.tolist())
