"""Views that cannot be changed in place: from unbind and split, and from under no_grad()."""

import torch

x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
y = x * 1
with torch.no_grad():
    made_without = y.view(4)
for change in [
    lambda: y.unbind()[0].add_(1),
    lambda: y.split(1)[1].mul_(2),
    lambda: y.chunk(2)[0].zero_(),
    lambda: made_without.add_(1),
    lambda: y.view(4).detach_(),
    lambda: y.detach().expand(2, 2, 2).add_(1),
]:
    try:
        change()
    except RuntimeError as e:
        print(str(e).split(". ")[0])
for row in y:
    try:
        row += 1
    except RuntimeError as e:
        print(str(e).split(". ")[0])
