"""Only tensors can be saved, no backward is an error at backward, and a Function is not called."""

import torch


class SaveNumber(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t):
        ctx.save_for_backward(t, 3)
        return t * 3


class NoBackward(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t):
        ctx.save_for_backward(t, None)
        return t * 3


x = torch.tensor([1.0, 2.0], requires_grad=True)
try:
    SaveNumber.apply(x)
except TypeError as e:
    print(e)
y = NoBackward.apply(x)
print(y)
try:
    y.sum().backward()
except NotImplementedError as e:
    print(e)
try:
    NoBackward()(x)
except RuntimeError as e:
    print(str(e).split(". ")[0])
