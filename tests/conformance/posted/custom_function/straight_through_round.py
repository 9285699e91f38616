import torch
from torch.autograd import Function

class RoundSTE(Function):
    @staticmethod
    def forward(ctx, x):
        return torch.round(x)

    @staticmethod
    def backward(ctx, g):
        return g

x = torch.tensor([0.2, 0.7, 1.5, 2.5], requires_grad=True)
torch.round(x).sum().backward()
print("plain round:", x.grad)
x.grad.zero_()
q = RoundSTE.apply(x)
print(q)
(q * q).sum().backward()
print("straight through:", x.grad)
