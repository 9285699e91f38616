"""Each hook gets what the one before it returned."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 1


def shout(name, f):
    def hook(g):
        print(name, g)
        return f(g)

    return hook


h.register_hook(shout("first", lambda g: g + 1))
h.register_hook(shout("second", lambda g: None))
h.register_hook(shout("third", lambda g: g * 10))
h.sum().backward()
print(x.grad)
