"""requires_grad_() after the computation has no effect on what was computed."""

import torch

a = torch.tensor([1.0, 2.0])
b = torch.tensor([3.0, 4.0], requires_grad=True)
y = (a * b).sum()
a.requires_grad_()
y.backward()
print(a.grad, b.grad)
(a * b).sum().backward()
print(a.grad, b.grad)
