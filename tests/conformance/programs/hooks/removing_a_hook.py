"""The handle removes its hook and no other; removing twice does no harm."""

import torch

x = torch.tensor(1.0, requires_grad=True)
first = x.register_hook(lambda g: g * 10)
second = x.register_hook(lambda g: g + 1)
(x * 3).backward()
print(x.grad)
x.grad = None
first.remove()
first.remove()
(x * 3).backward()
print(x.grad)
x.grad = None
second.remove()
(x * 3).backward()
print(x.grad)
