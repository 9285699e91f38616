"""The same recurrence with a list and stack: no values are overwritten."""

import torch

x = torch.tensor(1.5, requires_grad=True)
steps = [x]
for _ in range(3):
    steps.append(steps[-1] * steps[-1])
a = torch.stack(steps)
print(a)
a.sum().backward()
print(x.grad)
