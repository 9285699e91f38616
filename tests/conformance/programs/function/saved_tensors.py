"""A custom Function saves what backward needs."""

import torch


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t):
        ctx.save_for_backward(t)
        return t * t

    @staticmethod
    def backward(ctx, g):
        (t,) = ctx.saved_tensors
        print("upstream", g, ctx.needs_input_grad)
        return 2 * t * g


x = torch.tensor([1.0, 3.0], requires_grad=True)
Square.apply(x).sum().backward()
print(x.grad)
