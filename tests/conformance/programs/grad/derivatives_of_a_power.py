"""Five derivatives of x ** 4, one after the other."""

import torch

x = torch.tensor(2.0, requires_grad=True)
y = x**4
for i in range(4):
    (y,) = torch.autograd.grad(y, x, create_graph=True)
    print(i + 1, y.item(), y.requires_grad)
(y,) = torch.autograd.grad(y, x, create_graph=True, allow_unused=True)
print(y)
