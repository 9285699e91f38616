"""Leaves asked for, parameters and detach() are the same with and without recording."""

import torch

with torch.no_grad():
    a = torch.ones(2, requires_grad=True)
    b = torch.zeros(2).requires_grad_()
    c = torch.nn.Linear(2, 1)
    d = a + b
print(a, b, c.weight.requires_grad, d)
(a * b).sum().backward()
print(a.grad, b.grad)
with torch.no_grad():
    print(a.grad.requires_grad, a.view(2).requires_grad, a.clone().requires_grad)
