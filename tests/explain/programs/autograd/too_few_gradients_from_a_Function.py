import torch
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        return x * factor
    @staticmethod
    def backward(ctx, g):
        return g
x = torch.ones(3, requires_grad=True)
y = Scale.apply(x, 2.0)
y.sum().backward()
