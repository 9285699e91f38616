"""Which operations refuse a second backward? Those that saved something, be it a number."""

import torch

functions = {
    "3 * t": lambda t: 3 * t,
    "t / 2": lambda t: t / 2,
    "t + t": lambda t: t + t,
    "t ** 1": lambda t: t**1,
    "list": lambda t: t[[0, 1]],
    "mask": lambda t: t[t > 0],
    "slice": lambda t: t[0:1],
    "where": lambda t: torch.where(t > 1, t, 0.0),
    "reshape": lambda t: t.reshape(2, 1),
    "expand": lambda t: t.expand(2, 2),
    "double": lambda t: t.double(),
    "mean": lambda t: t.mean(),
    "stack": lambda t: torch.stack([t, t]),
    "relu": lambda t: t.relu(),
    "max": lambda t: t.max(),
    "cumsum": lambda t: t.cumsum(0),
    "round": lambda t: t.round(),
}
for name, f in functions.items():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    s = f(x).sum()
    s.backward()
    try:
        s.backward()
        print(name, "again", x.grad)
    except RuntimeError as e:
        print(name, str(e).split(" (")[0])
