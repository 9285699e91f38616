"""A zero gradient is not the same as none."""

import torch

x = torch.tensor([0.4, 1.6], requires_grad=True)
r = x.round()
print(r.requires_grad, (x > 1).requires_grad, x.argmax().requires_grad)
r.sum().backward()
print(x.grad)
hard = (x > 1).float()
print(hard.requires_grad)
x.grad = None
(hard * x).sum().backward()
print(x.grad)
