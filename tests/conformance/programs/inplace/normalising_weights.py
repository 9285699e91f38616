"""Weights normalised in the graph, under no_grad() and through data."""

import torch

w = torch.tensor([3.0, 4.0], requires_grad=True)
u = w / w.norm()
u[0].backward()
print(u, w.grad)
try:
    w /= w.norm()
except RuntimeError as e:
    print(e)
with torch.no_grad():
    w /= w.norm()
print(w, w.is_leaf)
w.data.mul_(10)
print(w, w._version)
