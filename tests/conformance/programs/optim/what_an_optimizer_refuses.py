"""Results, nothing, a bare tensor, numbers and senseless settings."""

import torch
from torch.optim import SGD, Adam

x = torch.tensor([1.0, 2.0], requires_grad=True)
calls = [
    lambda: SGD([x * 2], lr=0.1),
    lambda: SGD([], lr=0.1),
    lambda: SGD(x, lr=0.1),
    lambda: SGD([1.0], lr=0.1),
    lambda: SGD([x], lr=-1.0),
    lambda: SGD([x], lr=0.1, momentum=-1.0),
    lambda: SGD([x], lr=0.1, nesterov=True),
    lambda: Adam([x], betas=(1.0, 0.9)),
    lambda: Adam([x], eps=-1.0),
    lambda: SGD([{"params": [x]}, {"params": [x]}], lr=0.1),
]
for call in calls:
    try:
        call()
    except (ValueError, TypeError) as e:
        print(type(e).__name__, e)
constant = torch.ones(1)
print(len(SGD([constant], lr=0.1).param_groups))
