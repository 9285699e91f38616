"""Rows picked by number, some twice: their gradients are added, rows not picked get zeros."""

import torch

table = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]], requires_grad=True)
words = torch.tensor([[1, 1], [3, 1]])
vectors = table[words]
print(vectors.shape)
vectors.mean(1).backward(torch.tensor([[1.0, 10.0], [100.0, 1000.0]]))
print(table.grad)
