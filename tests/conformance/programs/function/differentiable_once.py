"""once_differentiable: a second derivative is an error."""

import torch
from torch.autograd.function import once_differentiable


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t):
        return t * 2

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        return g * 2


x = torch.tensor([1.0, 2.0], requires_grad=True)
Double.apply(x).sum().backward()
print(x.grad)
y = Double.apply(x) ** 2
(g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
print(g.detach(), g.requires_grad)
try:
    g.sum().backward()
except RuntimeError as e:
    print(e)
