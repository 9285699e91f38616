"""A leaf that requires grad cannot be changed in place."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
try:
    x += 1
except RuntimeError as e:
    print(type(e).__name__, str(e).split("\n")[0])
try:
    x.mul_(2)
except RuntimeError as e:
    print(type(e).__name__, str(e).split("\n")[0])
print(x, x._version)
