"""What sqrt, log, division and powers give at zero."""

import torch

functions = {
    "sqrt": torch.sqrt,
    "log": torch.log,
    "1 / t": lambda t: 1 / t,
    "t / t": lambda t: t / t,
    "t * log": lambda t: t * t.log(),
    "t ** 2": lambda t: t**2,
    "t ** 0.5": lambda t: t**0.5,
    "t ** 0": lambda t: t**0,
    "t ** -1": lambda t: t**-1,
    "0 ** t": lambda t: 0**t,
    "t ** t": lambda t: t**t,
    "sqrt(t * t)": lambda t: (t * t).sqrt(),
    "exp(-1 / t)": lambda t: (-1 / t).exp(),
}
for name, f in functions.items():
    x = torch.tensor(0.0, requires_grad=True)
    y = f(x)
    y.backward()
    print(f"{name:12}", y.item(), x.grad)
