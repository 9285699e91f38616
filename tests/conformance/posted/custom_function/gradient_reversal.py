import torch
import torch.nn as nn

class ReverseGrad(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, alpha):
        ctx.alpha = alpha
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return -ctx.alpha * grad, None

torch.manual_seed(0)
fc = nn.Linear(2, 1, bias=False)
x = torch.tensor([[1.0, 2.0]])
fc(x).sum().backward()
print(fc.weight.grad)
fc.zero_grad()
ReverseGrad.apply(fc(x), 0.5).sum().backward()
print(fc.weight.grad)
