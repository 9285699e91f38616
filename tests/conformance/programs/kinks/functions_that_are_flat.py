"""round and sign have zero gradients; comparisons and argmax have none."""

import torch

x = torch.tensor([-1.5, 0.5, 2.5], requires_grad=True)
for f in [torch.round, torch.sign]:
    y = f(x)
    x.grad = None
    y.sum().backward()
    print(y, x.grad)
for y in [x > 0, (x > 0).float(), x.argmax(), x.long(), x == x]:
    print(y, y.requires_grad)
