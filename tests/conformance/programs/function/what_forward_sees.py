"""Forward runs without recording; its inputs still say that they require grad."""

import torch


class Look(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t, text, number=2):
        print(text, t.requires_grad, torch.is_grad_enabled(), (t * 2).requires_grad)
        print(ctx.needs_input_grad)
        return t * number

    @staticmethod
    def backward(ctx, g):
        print(torch.is_grad_enabled(), g.requires_grad)
        return g, None, None


x = torch.tensor([1.0, 2.0], requires_grad=True)
y = Look.apply(x, "hello", 3)
y.sum().backward()
print(x.grad)
print(Look.apply(x.detach(), "constant", 3).requires_grad)
with torch.no_grad():
    print(Look.apply(x, "no_grad", 3).requires_grad)
