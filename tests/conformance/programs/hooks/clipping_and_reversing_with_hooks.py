"""Hooks that clip, mask or reverse what flows back."""

import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x**3
y.register_hook(lambda g: g.clamp(-1, 1))
(y * torch.tensor([5.0, -5.0, 0.5])).sum().backward()
print(x.grad)
x.grad = None
mask = torch.tensor([1.0, 0.0, 1.0])
handle = x.register_hook(lambda g: g * mask)
(x**2).sum().backward()
print(x.grad)
handle.remove()
x.grad = None
features = x * 2
features.register_hook(lambda g: -g)
features.sum().backward()
print(x.grad)
