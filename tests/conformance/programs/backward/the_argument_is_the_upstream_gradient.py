"""The argument of backward() is dL/dy, the upstream gradient."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 3
loss = (y**2).sum()
loss.backward()
print("through loss  ", x.grad)
x2 = torch.tensor([1.0, 2.0], requires_grad=True)
y2 = x2 * 3
dL_dy = 2 * y2.detach()
y2.backward(gradient=dL_dy)
print("by hand dL/dy ", x2.grad)
