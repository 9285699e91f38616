"""A retained gradient accumulates too."""

import torch

x = torch.tensor(1.0, requires_grad=True)
h = x * 2
h.retain_grad()
out = h * h
out.backward(retain_graph=True)
print(h.grad, x.grad)
out.backward()
print(h.grad, x.grad)
