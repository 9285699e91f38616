"""x minus its own sum."""

import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x - x.sum()
y.backward(torch.ones(3))
print(y.detach(), x.grad)
x.grad = None
s = x.sum()
s.retain_grad()
(x * s).backward(torch.tensor([1.0, 0.0, 0.0]))
print(s.grad, x.grad)
