import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x.sigmoid().mul_(3) * 1)
y.sum().backward()
