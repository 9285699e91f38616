"""A value that is broadcast into a slice gets the sum of the gradients."""

import torch

v = torch.tensor([1.0, 2.0], requires_grad=True)
s = torch.tensor(3.0, requires_grad=True)
m = torch.zeros(3, 4)
m[:, 1:3] = v
m[1] = s
m[-1, ::2] = v * 10
print(m)
weights = torch.arange(12.0).reshape(3, 4)
m.backward(weights)
print(v.grad, s.grad)
