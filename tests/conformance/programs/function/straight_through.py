"""Straight-through: round in forward, the identity in backward; and the same with detach."""

import torch


class Round(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t):
        return t.round()

    @staticmethod
    def backward(ctx, g):
        return g


x = torch.tensor([0.4, 1.6, -2.7], requires_grad=True)
y = Round.apply(x)
(y**2).sum().backward()
print(y, x.grad)
x.grad = None
z = x + (x.round() - x).detach()
(z**2).sum().backward()
print(z.detach(), x.grad)
x.grad = None
(x.round() ** 2).sum().backward()
print(x.grad)
