"""Errors of indexing."""

import torch

x = torch.ones(2, 3)
for index in [5, (0, 3), (0, 0, 0), slice(None, None, -1), 1.0, [0, 5], torch.tensor([1.0]), torch.tensor([True])]:
    try:
        print(x[index])
    except (IndexError, TypeError, ValueError, RuntimeError) as e:
        print(type(e).__name__, str(e).split("\n")[0])
try:
    torch.tensor(1.0)[0]
except IndexError as e:
    print(e)
