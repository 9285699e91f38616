"""Derivatives by x and then by y, and the other way round."""

import torch

x = torch.tensor(2.0, requires_grad=True)
y = torch.tensor(3.0, requires_grad=True)
z = x**2 * y + torch.sin(x * y)
zx, zy = torch.autograd.grad(z, [x, y], create_graph=True)
(zxy,) = torch.autograd.grad(zx, y, retain_graph=True)
(zyx,) = torch.autograd.grad(zy, x, retain_graph=True)
(zxx,) = torch.autograd.grad(zx, x)
print(zx, zy)
print(f"{zxy:.4f} {zyx:.4f} {zxx:.4f}")
