"""A gradient of another floating dtype is cast."""

import torch

x = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64, requires_grad=True)
y = x * x
y.backward(torch.ones(3))
print(x.grad, x.grad.dtype)
w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
z = w.double() * 2
z.backward(torch.ones(3, dtype=torch.float64))
print(w.grad, w.grad.dtype)
