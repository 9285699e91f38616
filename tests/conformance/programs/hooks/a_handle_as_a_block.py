"""A handle ends its hook at the end of a with block."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
with x.register_hook(lambda g: g * 10):
    x.sum().backward()
x.sum().backward()
print(x.grad)
