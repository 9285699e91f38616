"""autograd.grad() returns, backward() stores."""

import torch

x = torch.tensor(2.0, requires_grad=True)
h = x * 3
loss = h**2
gh, gx = torch.autograd.grad(loss, [h, x])
print(gh, gx, x.grad)
r = (x**2).backward()
print(r, x.grad)
