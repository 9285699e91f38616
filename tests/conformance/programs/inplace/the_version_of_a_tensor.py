"""Each change in place counts, also under no_grad(); .data has a counter of its own."""

import torch

t = torch.zeros(3)
steps = [
    lambda: t.add_(1),
    lambda: t.mul_(2),
    lambda: t.zero_(),
    lambda: t.fill_(3),
    lambda: t.copy_(torch.ones(3)),
    lambda: t.__setitem__(0, 5.0),
    lambda: t[1:].sub_(1),
    lambda: t.detach().div_(2),
    lambda: t.data.add_(1),
    lambda: t + 1,
]
for step in steps:
    step()
    print(t._version, end=" ")
print(t)
with torch.no_grad():
    t += 1
print(t._version, t.detach()._version, t.data._version, t[0]._version, t.clone()._version)
