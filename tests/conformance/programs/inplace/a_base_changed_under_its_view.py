"""A change of the base is seen by the view, with its gradient."""

import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x * 2
v = y[1:]
y.mul_(10)
print(v)
v.sum().backward()
print(x.grad)
y = x * 2
v = y[1:]
y[1] = 0.0
print(v.detach())
x.grad = None
v.sum().backward()
print(x.grad)
