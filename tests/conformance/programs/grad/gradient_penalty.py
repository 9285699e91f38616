"""A penalty on the norm of the gradient: backward through a gradient."""

import torch

w = torch.tensor([[1.0, 2.0], [3.0, -1.0]], requires_grad=True)
x = torch.tensor([[0.5, -0.25], [1.0, 2.0], [-1.5, 1.0]], requires_grad=True)
out = torch.tanh(x @ w).sum()
(g,) = torch.autograd.grad(out, x, create_graph=True)
penalty = ((g.norm(2, dim=1) - 1) ** 2).mean()
print(g)
print(penalty)
penalty.backward()
print(w.grad)
