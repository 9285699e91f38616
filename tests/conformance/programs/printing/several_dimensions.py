"""Blocks of three and four dimensions, and the dimensions of size 1 and 0."""

import torch

print(torch.arange(8.0).reshape(2, 2, 2))
print(torch.arange(8).reshape(2, 1, 2, 2))
print(torch.ones(1, 1, 1), torch.zeros(3, 1))
print(torch.zeros(0), torch.zeros(0, 3), torch.zeros(2, 0), torch.zeros(0, dtype=torch.int64))
print(torch.zeros(0, requires_grad=True), torch.ones(2, 0) @ torch.ones(0, 2))
