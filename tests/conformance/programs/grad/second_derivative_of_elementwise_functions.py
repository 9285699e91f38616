"""Second derivatives of the usual functions, by create_graph."""

import torch

functions = [torch.exp, torch.log, torch.sqrt, torch.sin, torch.cos, torch.tanh, torch.sigmoid, torch.square]
for f in functions:
    x = torch.tensor([0.5, 2.0], requires_grad=True)
    (first,) = torch.autograd.grad(f(x).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    print(f.__name__, first.detach(), second)
