import torch

class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        x, = ctx.saved_tensors
        return 2 * x * grad

x = torch.tensor(4.0, requires_grad=True)
try:
    y = Square()(x)
except Exception as e:
    print(type(e).__name__)
y = Square.apply(x)
y.backward()
print(y.item(), x.grad.item(), ctx_needed := x.requires_grad)
