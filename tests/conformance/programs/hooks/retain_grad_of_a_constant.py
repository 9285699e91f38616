"""retain_grad() needs a tensor of the graph, and has to come before backward."""

import warnings

import torch

try:
    torch.ones(2).retain_grad()
except RuntimeError as e:
    print(e)
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 2
h.sum().backward()
h.retain_grad()
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    print(h.grad, h.retains_grad)
h = x * 2
h.retain_grad()
h.retain_grad()
h.sum().backward()
print(h.grad, x.grad)
