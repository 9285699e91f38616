"""The Hessian from one-hot grad_outputs, and the one of functional.hessian."""

import torch


def f(t):
    return t[0] ** 2 * t[1] + t[1] ** 3


x = torch.tensor([1.0, 2.0], requires_grad=True)
(g,) = torch.autograd.grad(f(x), x, create_graph=True)
rows = [torch.autograd.grad(g, x, one_hot, retain_graph=True)[0] for one_hot in torch.eye(2)]
print(torch.stack(rows))
print(torch.autograd.functional.hessian(f, x))
