import torch
class AddBias(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, b):
        return x + b
    @staticmethod
    def backward(ctx, g):
        return g, g.sum(0, keepdim=True)
x = torch.ones(3, 4, requires_grad=True)
b = torch.zeros(4, requires_grad=True)
loss = (AddBias.apply(x, b) ** 2).mean()
loss.backward()
print(x.grad, b.grad)
