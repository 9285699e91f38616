"""An output can be saved as well: exp needs nothing else."""

import torch


class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t):
        result = t.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, g):
        (result,) = ctx.saved_tensors
        return g * result


x = torch.tensor([0.0, 1.0], requires_grad=True)
y = Exp.apply(x)
(g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
print(g)
print(torch.autograd.grad(g.sum(), x))
y = Exp.apply(x)
y.zero_()
try:
    y.sum().backward()
except RuntimeError as e:
    print(str(e).split(" Hint")[0])
print(torch.autograd.gradcheck(Exp.apply, torch.tensor([0.5], dtype=torch.float64, requires_grad=True)))
