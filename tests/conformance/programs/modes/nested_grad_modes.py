"""Grad modes nest."""

import torch

x = torch.tensor(3.0, requires_grad=True)


@torch.no_grad()
def frozen(t):
    return t * t


print(frozen(x).requires_grad)
with torch.no_grad():
    with torch.enable_grad():
        y = x * x
    with torch.set_grad_enabled(False):
        z = x * x
print(y.requires_grad, z.requires_grad)
y.backward()
print(x.grad)
