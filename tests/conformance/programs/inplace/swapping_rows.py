"""Rows swapped by an assignment: the right-hand side is a copy."""

import torch

x = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], requires_grad=True)
m = x * 1
m[[0, 1]] = m[[1, 0]]
m[:, 1] += 10 * m[:, 0]
print(m)
m.backward(torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))
print(x.grad)
