"""Hooks run before the gradient is retained, in whatever order the two were asked for."""

import torch

for retain_first in [True, False]:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    h = x * 3
    if retain_first:
        h.retain_grad()
    h.register_hook(lambda g: g * 2)
    if not retain_first:
        h.retain_grad()
    h.register_hook(lambda g: g + 1)
    h.sum().backward()
    print(retain_first, h.grad, x.grad)
