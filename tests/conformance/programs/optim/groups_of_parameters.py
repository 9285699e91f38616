"""Groups of parameters with their own settings; a group can be added and changed."""

import torch

a = torch.tensor([1.0], requires_grad=True)
b = torch.tensor([1.0], requires_grad=True)
c = torch.tensor([1.0], requires_grad=True)
optimizer = torch.optim.SGD([{"params": [a]}, {"params": [b], "lr": 0.5}], lr=0.1)
optimizer.add_param_group({"params": [c], "lr": 1.0})
print([group["lr"] for group in optimizer.param_groups], len(optimizer.param_groups[0]["params"]))
(a + b + c).sum().backward()
optimizer.step()
print(a, b, c)
for group in optimizer.param_groups:
    group["lr"] *= 0.1
optimizer.step()
print(a, b, c)
optimizer.zero_grad()
print(a.grad, b.grad, c.grad)
