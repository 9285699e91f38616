"""dy/dx for each sample: sum first, because samples do not mix."""

import torch

x = torch.linspace(-1, 1, 5).reshape(5, 1).requires_grad_()
u = x**3 + 2 * x
(du,) = torch.autograd.grad(u, x, torch.ones_like(u), create_graph=True)
(ddu,) = torch.autograd.grad(du.sum(), x)
print(du.squeeze(1))
print(ddu.flatten())
