"""A custom Function with a number among its arguments: backward returns None for it."""

import torch


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t, factor):
        ctx.factor = factor
        return t * factor

    @staticmethod
    def backward(ctx, g):
        return g * ctx.factor, None


x = torch.tensor([1.0, 2.0], requires_grad=True)
y = Scale.apply(x, 5.0)
print(y, y.grad_fn.name())
y.backward(torch.tensor([1.0, 10.0]), retain_graph=True)
y.backward(torch.tensor([1.0, 10.0]))
print(x.grad)
print(Scale.apply(torch.ones(2), 3))
