"""Every way to change a leaf that requires grad is refused, as is a view of it."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)


def assign(index, value):
    x[index] = value


changes = [
    lambda: x.add_(1),
    x.zero_,
    lambda: x.copy_(torch.ones(2)),
    lambda: assign(0, 5.0),
    lambda: assign(slice(None), 5.0),
    lambda: assign([0], 5.0),
    lambda: assign(x > 1, 5.0),
    lambda: x[0].mul_(2),
    lambda: x.view(2, 1).add_(1),
    x.sqrt_,
]
for change in changes:
    try:
        change()
    except RuntimeError as e:
        print(e)
print(x, x._version)
