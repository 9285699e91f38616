"""What @ does for every pair of dimensions: shape, node and the shapes of the gradients."""

import torch

pairs = [
    ((3,), (3,)),
    ((2, 3), (3,)),
    ((3,), (3, 2)),
    ((2, 3), (3, 4)),
    ((5, 2, 3), (3,)),
    ((5, 2, 3), (3, 4)),
    ((3,), (5, 3, 2)),
    ((2, 3), (5, 3, 4)),
    ((5, 2, 3), (5, 3, 4)),
    ((5, 1, 2, 3), (4, 3, 2)),
]
for left, right in pairs:
    a = torch.ones(left, requires_grad=True)
    b = torch.ones(right, requires_grad=True)
    y = a @ b
    y.sum().backward()
    print(left, right, tuple(y.shape), y.grad_fn.name(), a.grad.flatten()[0].item(), b.grad.flatten()[0].item())
