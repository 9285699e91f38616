"""functional.jacobian gives the whole Jacobian, one row per output."""

import torch


def f(x):
    return torch.stack([x[0] * x[1], x[0] + 3 * x[1], x[1] ** 2])


x = torch.tensor([2.0, 5.0])
J = torch.autograd.functional.jacobian(f, x)
print(J)
print(J.shape, J.requires_grad, x.requires_grad)
