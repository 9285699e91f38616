"""cumsum: the gradient is a sum from the other end."""

import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x.cumsum(0)
y.backward(torch.tensor([1.0, 10.0, 100.0]))
print(y, x.grad)
m = torch.arange(6.0).reshape(2, 3).requires_grad_()
y = torch.cumsum(m, dim=1)
print(y)
(y**2).sum().backward()
print(m.grad)
print(torch.tensor([True, True, False]).cumsum(0))
