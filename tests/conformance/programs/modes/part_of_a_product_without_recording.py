"""A factor computed without recording is a constant."""

import torch

x = torch.tensor(3.0, requires_grad=True)
with torch.no_grad():
    factor = x * x
(factor * x).backward()
print(x.grad)
x.grad = None
((x * x).detach() * x).backward()
print(x.grad)
x.grad = None
(x * x * x).backward()
print(x.grad)
