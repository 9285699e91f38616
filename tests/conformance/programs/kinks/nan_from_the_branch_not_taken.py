"""The branch of where() that was not taken can still give nan."""

import torch

x = torch.tensor([-1.0, 4.0], requires_grad=True)
y = torch.where(x > 0, torch.sqrt(x), x)
print(y)
y.sum().backward()
print(x.grad)
z = torch.tensor([-1.0, 4.0], requires_grad=True)
safe = torch.where(z > 0, z, torch.ones_like(z))
torch.where(z > 0, torch.sqrt(safe), z).sum().backward()
print(z.grad)
