"""A hook returns nothing or a tensor of the same shape and dtype."""

import torch

results = {
    "number": lambda g: 1.0,
    "shape": lambda g: g[:1],
    "dtype": lambda g: g.double(),
    "list": lambda g: [1.0, 2.0],
    "zeros": torch.zeros_like,
    "none": lambda g: None,
}
for name, hook in results.items():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (x * 2).register_hook(hook)
    y = x * 2
    y.register_hook(hook)
    try:
        y.sum().backward()
        print(name, x.grad)
    except (RuntimeError, TypeError) as e:
        print(name, type(e).__name__, e)
try:
    torch.ones(2).register_hook(print)
except RuntimeError as e:
    print(e)
