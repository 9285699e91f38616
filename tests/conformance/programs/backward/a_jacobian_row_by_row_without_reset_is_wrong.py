"""Rows of a Jacobian collected from .grad: it accumulates, and the list holds one tensor twice."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x**2
rows = []
for v in torch.eye(2):
    y.backward(v, retain_graph=True)
    rows.append(x.grad)
print(torch.stack(rows))
print(rows[0] is rows[1])
