"""The .grad of a non-leaf can be assigned, and changes only once it is retained."""

import torch

x = torch.tensor(5.0, requires_grad=True)
h = x * 2
h.grad = torch.tensor(4.0)
print(h.grad)
h.backward(retain_graph=True)
print(h.grad, x.grad)
h.retain_grad()
h.backward()
print(h.grad, x.grad)
