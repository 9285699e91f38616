"""An input that was not used: an error, None, or zeros, as one asks."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
u = torch.ones(1, 3, requires_grad=True)
try:
    torch.autograd.grad((x * x).sum(), [x, u])
except RuntimeError as e:
    print(e)
print(torch.autograd.grad((x * x).sum(), [x, u], allow_unused=True))
print(torch.autograd.grad((x * x).sum(), [x, u], materialize_grads=True))
try:
    torch.autograd.grad(x.sum(), u, allow_unused=False, materialize_grads=True)
except ValueError as e:
    print(e)
print(x.grad, u.grad)
