"""One element in any number of dimensions counts as a scalar, and the implicit gradient has its shape."""

import torch

for shape in [(), (1,), (1, 1), (1, 1, 1)]:
    x = torch.full(shape, 3.0, requires_grad=True)
    (x * x).backward()
    print(shape, x.grad.shape, x.grad)
x = torch.ones(0, requires_grad=True)
try:
    (x * 2).backward()
except RuntimeError as e:
    print(e)
(x * 2).sum().backward()
print(x.grad)
