import torch
x = torch.ones(3, requires_grad=True)
y = x.exp()
z = [each.mul_(2) for each in (y,)]
(y + 1).sum().backward()
