"""Norms: the gradient at the zero vector is 0 for norm(), and nan for the root written out."""

import torch

norms = {
    "norm": lambda t: t.norm(),
    "norm 1": lambda t: t.norm(1),
    "norm 3": lambda t: t.norm(3),
    "norm inf": lambda t: t.norm(float("inf")),
    "root": lambda t: (t**2).sum().sqrt(),
    "root eps": lambda t: ((t**2).sum() + 1e-6).sqrt(),
    "torch.norm": lambda t: torch.norm(t, p=2, dim=0),
}
for name, norm in norms.items():
    for values in [[3.0, -4.0], [0.0, 0.0]]:
        x = torch.tensor(values, requires_grad=True)
        y = norm(x)
        y.backward()
        print(name, y, x.grad)
