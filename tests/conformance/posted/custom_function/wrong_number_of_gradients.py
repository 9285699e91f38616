import torch

class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad_out):
        return grad_out * ctx.factor     # forgot the None for factor

x = torch.ones(2, requires_grad=True)
y = Scale.apply(x, 3.0)
print(y.detach())
y.sum().backward()
