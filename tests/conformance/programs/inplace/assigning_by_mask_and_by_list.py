"""Masks and lists of indices: IndexPutBackward0."""

import torch

x = torch.tensor([1.0, -2.0, 3.0, -4.0], requires_grad=True)
y = x * 2
y[y < 0] = 0.0
print(y)
y.sum().backward()
print(x.grad)
w = torch.tensor([10.0, 20.0], requires_grad=True)
z = x * 1
z[[3, 0]] = w
z[torch.tensor([False, True, False, False])] = w[1:] * 2
print(z)
x.grad = None
z.backward(torch.tensor([1.0, 10.0, 100.0, 1000.0]))
print(x.grad, w.grad)
