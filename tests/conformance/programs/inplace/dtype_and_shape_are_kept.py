"""A change in place keeps dtype and shape, or is refused."""

import torch

f, i = torch.ones(2), torch.tensor([1, 2])
f += torch.ones(2, dtype=torch.float64)
f += i
print(f, f.dtype)
changes = [
    lambda: i.add_(0.5),
    lambda: i.div_(2),
    lambda: f.add_(torch.ones(3)),
    lambda: f.add_(torch.ones(2, 2)),
    lambda: torch.ones(2, dtype=torch.bool).add_(1),
    lambda: f.__setitem__(0, torch.ones(2)),
    lambda: f.__setitem__(5, 1.0),
]
for change in changes:
    try:
        change()
    except (RuntimeError, IndexError) as e:
        print(type(e).__name__, e)
i[0] = 2.9
f[0] = True
print(i, f)
