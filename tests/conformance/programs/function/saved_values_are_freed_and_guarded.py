"""Saved tensors are freed after backward and guarded against changes; attributes of ctx are neither."""

import torch


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t, guarded):
        if guarded:
            ctx.save_for_backward(t)
        else:
            ctx.t = t
        return t * t

    @staticmethod
    def backward(ctx, g):
        t = ctx.saved_tensors[0] if ctx.saved_tensors else ctx.t
        return 2 * t * g, None


for guarded in [True, False]:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = Square.apply(x, guarded).sum()
    y.backward()
    try:
        y.backward()
        print(x.grad)
    except RuntimeError as e:
        print(str(e).split(" (")[0])
    h = x * 1
    y = Square.apply(h, guarded).sum()
    h.mul_(10)
    try:
        y.backward()
        print(x.grad)
    except RuntimeError as e:
        print(str(e).split(", is at")[0])
