"""Backpropagation through time, whole and cut after two steps."""

import torch

w = torch.tensor(0.5, requires_grad=True)
u = torch.tensor(1.0, requires_grad=True)
inputs = torch.tensor([1.0, -0.5, 0.25, 2.0])
for keep in [4, 2, 1]:
    w.grad = u.grad = None
    h = torch.tensor(0.0)
    total = 0
    for i, x in enumerate(inputs):
        if i % keep == 0:
            h = h.detach()
        h = torch.tanh(w * h + u * x)
        total = total + h**2
    total.backward()
    print(keep, total, w.grad, u.grad)
