"""A leaf that was not used keeps None."""

import torch

x = torch.tensor(2.0, requires_grad=True)
y = torch.tensor(3.0, requires_grad=True)
z = torch.tensor(4.0, requires_grad=True)
loss = x * x + 0 * y
loss.backward()
print(x.grad, y.grad, z.grad)
