"""A backward that forgets the upstream gradient looks right under sum(), and nowhere else."""

import torch


class Right(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t):
        ctx.save_for_backward(t)
        return t**2

    @staticmethod
    def backward(ctx, g):
        return g * 2 * ctx.saved_tensors[0]


class Wrong(Right):
    @staticmethod
    def backward(ctx, g):
        return 2 * ctx.saved_tensors[0]


for f in [Right, Wrong]:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    f.apply(x).sum().backward()
    print(f.__name__, x.grad, end=" ")
    x.grad = None
    (f.apply(x) * torch.tensor([10.0, 100.0])).sum().backward()
    print(x.grad)
