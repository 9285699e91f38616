import torch
class Sq(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x * x
        ctx.save_for_backward(x, y)
        return y
    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return g * 2 * y / x
x = torch.tensor(3.0, dtype=torch.double, requires_grad=True)
y = Sq.apply(x)
g1 = torch.autograd.grad(y, x, create_graph=True)[0]
print(g1, torch.autograd.grad(g1, x, retain_graph=True)[0])
print(torch.autograd.grad(y, x)[0])
print(torch.autograd.gradgradcheck(Sq.apply, x))
