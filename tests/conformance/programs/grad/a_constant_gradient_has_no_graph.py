"""The gradient of a linear function is a constant: there is no second derivative to ask for."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
for f in [lambda t: t.sum(), lambda t: (3 * t).sum(), lambda t: (t * t).sum()]:
    (g,) = torch.autograd.grad(f(x), x, create_graph=True)
    print(g, g.requires_grad)
    try:
        print(torch.autograd.grad(g.sum(), x))
    except RuntimeError as e:
        print(e)
