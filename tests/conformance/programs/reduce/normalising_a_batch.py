"""Batch normalisation by hand: every sample acts on every other one."""

import torch

x = torch.tensor([[1.0, 10.0], [2.0, 30.0], [6.0, 20.0]], requires_grad=True)
mean = x.mean(0)
variance = x.var(0, unbiased=False)
y = (x - mean) / (variance + 1e-5).sqrt()
print(y)
y.backward(torch.tensor([[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]]))
print(x.grad)
