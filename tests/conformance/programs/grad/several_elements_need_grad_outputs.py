"""autograd.grad() of a vector needs grad_outputs."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x**2
try:
    torch.autograd.grad(y, x)
except RuntimeError as e:
    print(type(e).__name__, str(e).split("\n")[0])
g = torch.autograd.grad(y, x, grad_outputs=torch.ones_like(y))
print(g)
print(x.grad)
