"""What print shows as grad_fn for arithmetic and the elementwise functions."""

import torch

x = torch.tensor([0.5, 2.0], requires_grad=True)
results = {
    "x + 1": x + 1,
    "1 - x": 1 - x,
    "x - x": x - x,
    "x * 2": x * 2,
    "x / 2": x / 2,
    "2 / x": 2 / x,
    "-x": -x,
    "x ** 2": x**2,
    "2 ** x": 2**x,
    "x ** x": x**x,
    "exp": x.exp(),
    "log": x.log(),
    "sqrt": x.sqrt(),
    "sin": x.sin(),
    "cos": x.cos(),
    "tanh": x.tanh(),
    "sigmoid": x.sigmoid(),
    "relu": x.relu(),
    "abs": x.abs(),
    "sign": x.sign(),
    "clamp": x.clamp(0, 1),
    "maximum": torch.maximum(x, x),
    "minimum": torch.minimum(x, x),
    "round": x.round(),
    "where": torch.where(x > 1, x, 0.0),
    "square": x.square(),
    "reciprocal": x.reciprocal(),
    "rsqrt": x.rsqrt(),
}
for name, y in results.items():
    print(f"{name:10}", y)
