"""H v without H: the gradient of the gradient times v."""

import torch

A = torch.tensor([[2.0, 1.0, 0.0], [1.0, 3.0, -1.0], [0.0, -1.0, 4.0]])
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
v = torch.tensor([1.0, 10.0, 100.0])
f = 0.5 * x @ A @ x + x.prod()
(g,) = torch.autograd.grad(f, x, create_graph=True)
(hv,) = torch.autograd.grad(g, x, grad_outputs=v, retain_graph=True)
print(g.detach(), hv)
(same,) = torch.autograd.grad((g * v).sum(), x)
print(same)
