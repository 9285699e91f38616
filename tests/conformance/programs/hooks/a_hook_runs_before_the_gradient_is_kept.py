"""A hook runs before the gradient is retained or accumulated."""

import torch

x = torch.tensor(2.0, requires_grad=True)
h = x * 3
h.retain_grad()
h.register_hook(lambda g: g + 100)
x.register_hook(lambda g: -g)
(h * h).backward()
print(h.grad)
print(x.grad)
