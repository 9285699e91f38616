import torch
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, g):
        return g[:2]
x = torch.ones(3, requires_grad=True)
y = Scale.apply(x)
y.sum().backward()
