"""torch.tensor([a, b]) takes the values of scalars and leaves the graph; stack stays in it."""

import torch

a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
cut = torch.tensor([a, b])
kept = torch.stack([a, b])
print(cut, kept)
kept.backward(torch.tensor([10.0, 1.0]))
print(a.grad, b.grad)
try:
    cut.sum().backward()
except RuntimeError as e:
    print(e)
