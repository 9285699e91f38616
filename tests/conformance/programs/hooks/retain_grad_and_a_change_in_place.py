"""retain_grad() follows a tensor that is changed in place afterwards."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 1
h.retain_grad()
h.mul_(10)
print(h.retains_grad)
(h * torch.tensor([1.0, 2.0])).sum().backward()
print(h.grad, x.grad)
