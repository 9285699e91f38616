"""relu, abs, clamp(min=0) and x * (x > 0) differ at 0."""

import torch

functions = {
    "relu": torch.relu,
    "clamp": lambda t: t.clamp(min=0),
    "product": lambda t: t * (t > 0),
    "where": lambda t: torch.where(t >= 0, t, 0.0),
    "maximum": lambda t: torch.maximum(t, torch.tensor(0.0)),
    "abs": torch.abs,
    "halves": lambda t: (t + t.abs()) / 2,
    "sqrt": lambda t: (t**2).sqrt(),
}
for name, f in functions.items():
    x = torch.tensor([-2.0, 0.0, 3.0], requires_grad=True)
    f(x).sum().backward()
    print(f"{name:8}", x.grad)
