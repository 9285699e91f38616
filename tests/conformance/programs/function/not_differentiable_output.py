"""An output that was marked as not differentiable requires no grad."""

import torch


class SortedWithOrder(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t):
        order = torch.tensor([1, 0])
        positive = t > 1
        ctx.mark_non_differentiable(order, positive)
        return t[order], order, positive

    @staticmethod
    def backward(ctx, g, g_order, g_positive):
        print(g, g_order, g_positive)
        return g[torch.tensor([1, 0])]


x = torch.tensor([1.0, 2.0], requires_grad=True)
y, order, positive = SortedWithOrder.apply(x)
print(y, order, positive, positive.requires_grad)
y.backward(torch.tensor([1.0, 10.0]))
print(x.grad)
