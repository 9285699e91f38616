"""A backward written with tensor operations can be differentiated again."""

import torch


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t):
        ctx.save_for_backward(t)
        return t**3

    @staticmethod
    def backward(ctx, g):
        (t,) = ctx.saved_tensors
        print("grad mode", torch.is_grad_enabled())
        return 3 * t**2 * g


x = torch.tensor([1.0, 2.0], requires_grad=True)
(first,) = torch.autograd.grad(Cube.apply(x).sum(), x, create_graph=True)
(second,) = torch.autograd.grad(first.sum(), x)
print(first, second)
Cube.apply(x).sum().backward()
print(x.grad, x.grad.requires_grad)
