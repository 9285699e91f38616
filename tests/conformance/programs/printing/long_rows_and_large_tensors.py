"""Rows are broken at 80 columns; more than 1000 entries are summarised."""

import torch

print(torch.arange(30.0))
print(torch.arange(30))
print(torch.arange(12.0).reshape(2, 6) / 7)
print(torch.arange(1000.0)[-3:], torch.zeros(1000).shape)
print(torch.arange(1001.0))
print(torch.arange(2000).reshape(40, 50))
print(torch.ones(30, requires_grad=True) * 0.123)
