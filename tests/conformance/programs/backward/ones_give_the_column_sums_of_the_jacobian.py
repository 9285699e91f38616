"""Upstream ones give the column sums of the Jacobian."""

import torch

x = torch.tensor([2.0, 3.0], requires_grad=True)


def f(x):
    return torch.stack([x[0] * x[1], x[1] ** 2, 5 * x[0]])


rows = [torch.autograd.grad(f(x)[i], x)[0] for i in range(3)]
J = torch.stack(rows)
print(J)
f(x).backward(torch.ones(3))
print(x.grad)
print(J.sum(dim=0))
