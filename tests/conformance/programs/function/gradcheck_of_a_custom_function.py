"""gradcheck finds the Function whose backward is wrong."""

import torch


class Good(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t):
        ctx.save_for_backward(t)
        return t * t

    @staticmethod
    def backward(ctx, g):
        return 2 * ctx.saved_tensors[0] * g


class Bad(Good):
    @staticmethod
    def backward(ctx, g):
        return ctx.saved_tensors[0] * g


x = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64, requires_grad=True)
print(torch.autograd.gradcheck(Good.apply, (x,)))
print(torch.autograd.gradcheck(Bad.apply, (x,), raise_exception=False))
