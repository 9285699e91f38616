"""Only the flag of a leaf can be changed; requires_grad_(True) on a result does nothing."""

import torch

y = torch.tensor([1.0, 2.0], requires_grad=True) * 2
print(y.requires_grad_() is y)
for value in [True, False]:
    try:
        y.requires_grad = value
    except RuntimeError as e:
        print(e)
try:
    y.requires_grad_(False)
except RuntimeError as e:
    print(e)
leaf = torch.ones(2)
leaf.requires_grad = True
leaf.requires_grad = False
print(leaf)
