"""A custom Function of two inputs returns a gradient for each."""

import torch


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        print(ctx.needs_input_grad)
        return g * b, g * a


x = torch.tensor([1.0, 2.0], requires_grad=True)
w = torch.tensor([3.0, 4.0], requires_grad=True)
Product.apply(x, w).sum().backward()
print(x.grad, w.grad)
Product.apply(x, w.detach()).sum().backward()
Product.apply(x.detach(), w).sum().backward()
print(x.grad, w.grad)
