"""A wrong number, a wrong shape, a wrong type, and None."""

import torch


def function(name, result):
    def forward(ctx, a, b):
        return a * b

    def backward(ctx, g):
        return result(g)

    body = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    return type(name, (torch.autograd.Function,), body)


results = {
    "TooFew": lambda g: g,
    "TooMany": lambda g: (g, g, g),
    "SurplusNone": lambda g: (g, g, None),
    "Shape": lambda g: (torch.ones(3), g),
    "Number": lambda g: (1.0, g),
    "Nothing": lambda g: (None, g),
    "Broadcast": lambda g: (g.expand(3, 2), g),
    "Cast": lambda g: (g.double(), g),
}
for name, result in results.items():
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    b = torch.tensor([1.0, 2.0], requires_grad=True)
    try:
        function(name, result).apply(a, b).sum().backward()
        print(name, a.grad, b.grad)
    except (RuntimeError, TypeError) as e:
        print(name, type(e).__name__, e)
