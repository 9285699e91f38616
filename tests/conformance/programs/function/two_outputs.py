"""Two outputs: backward gets two gradients, zeros for the output that was not used."""

import torch


class SumAndProduct(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a + b, a * b

    @staticmethod
    def backward(ctx, g_sum, g_product):
        a, b = ctx.saved_tensors
        print(g_sum, g_product)
        return g_sum + g_product * b, g_sum + g_product * a


a = torch.tensor([1.0, 2.0], requires_grad=True)
b = torch.tensor([3.0, 4.0], requires_grad=True)
s, p = SumAndProduct.apply(a, b)
print(s.grad_fn is p.grad_fn, s, p)
p.sum().backward()
print(a.grad, b.grad)
s, p = SumAndProduct.apply(a, b)
(s * 2 + p).sum().backward()
print(a.grad, b.grad)
