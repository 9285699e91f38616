"""set_materialize_grads(False): None arrives for an output that was not used."""

import torch


class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t, materialize):
        ctx.set_materialize_grads(materialize)
        return t * 2, t * 3

    @staticmethod
    def backward(ctx, first, second):
        print(first, second)
        return None if second is None else second * 3, None


x = torch.tensor([1.0, 2.0], requires_grad=True)
for materialize in [True, False]:
    x.grad = None
    Twice.apply(x, materialize)[0].sum().backward()
    print(x.grad)
