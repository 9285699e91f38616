"""A view changed in place: the base gets CopySlices, the view AsStridedBackward0."""

import torch

x = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
y = x * 1
v = y.view(2, 2)
row = v[0]
row.mul_(10)
print(row)
print(v)
print(y)
print(row._version, v._version, y._version)
y.backward(torch.tensor([1.0, 2.0, 3.0, 4.0]))
print(x.grad)
