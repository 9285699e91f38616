"""detach() in the middle: the part behind it gets nothing, the other paths do."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x**2
z = y.detach() * x + y
z.sum().backward()
print(x.grad)
d = y.detach()
print(d.requires_grad, d.is_leaf, d.grad_fn, y.requires_grad)
d[0] = 50.0
print(y.detach(), d._version, y._version)
