import torch
from torch.autograd import gradcheck

class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 2 * x ** 2          # should be 3 * x ** 2

x = torch.tensor([1.0, 2.0], dtype=torch.double, requires_grad=True)
print(gradcheck(lambda t: t ** 3, (x,)))
try:
    gradcheck(Cube.apply, (x,))
except Exception as e:
    print(type(e).__name__)
    print(str(e).splitlines()[0])
