"""Shapes, sizes and dtypes as text."""

import torch

x = torch.zeros(2, 3)
print(x.shape, x.size(), x.size(0), x.dim(), x.ndim, x.numel(), len(x), x.nelement())
print(x.dtype, x[0].shape, x[0, 0].shape, x.shape[0] * 2, x.shape == (2, 3), list(x.shape))
print(x.type(), x.device, x.is_floating_point(), torch.is_tensor(x), x.shape.numel())
rows, columns = x.shape
print(rows, columns, x.shape[::-1], tuple(x.T.shape))
