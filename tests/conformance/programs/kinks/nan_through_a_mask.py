"""Masking a result does not mask its gradient: 0 times infinity is nan."""

import torch

d = torch.tensor([0.0, 1.0, 2.0])
ways = {
    "index": lambda t: (t / d)[d != 0],
    "product": lambda t: (t / d) * (d != 0),
    "where": lambda t: torch.where(d != 0, t / d, 0.0),
    "safe": lambda t: torch.where(d != 0, t / torch.where(d != 0, d, 1.0), 0.0),
    "before": lambda t: t[d != 0] / d[d != 0],
}
for name, way in ways.items():
    x = torch.tensor([1.0, 1.0, 1.0], requires_grad=True)
    y = way(x)
    y.sum().backward()
    print(name, y.detach(), x.grad)
