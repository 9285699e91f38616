"""The errors of products of the wrong shapes."""

import torch

pairs = [((2, 3), (2, 3)), ((2, 3), (2,)), ((2,), (3,)), ((), (2,)), ((2, 2, 3), (2, 2, 3)), ((3,), (2, 3))]
for left, right in pairs:
    try:
        torch.ones(left) @ torch.ones(right)
    except RuntimeError as e:
        print(left, right, e)
for f in [torch.mm, torch.dot]:
    try:
        f(torch.ones(2, 2, 2), torch.ones(2, 2, 2))
    except RuntimeError as e:
        print(f.__name__, e)
