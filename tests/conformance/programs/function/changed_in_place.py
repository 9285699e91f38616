"""A Function that changes its input marks it as dirty, and returns it."""

import torch


class AddOne(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t):
        t.add_(1)
        ctx.mark_dirty(t)
        return t

    @staticmethod
    def backward(ctx, g):
        return g * 10


x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 2
y = AddOne.apply(h)
print(y is h, h, h._version)
h.sum().backward()
print(x.grad)
try:
    AddOne.apply(x)
except RuntimeError as e:
    print(e)
