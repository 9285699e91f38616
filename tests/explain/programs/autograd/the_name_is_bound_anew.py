import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x.exp()
z = y
y = y * 3
y += 1
z.mul_(2)
y = z * y
y.sum().backward()
