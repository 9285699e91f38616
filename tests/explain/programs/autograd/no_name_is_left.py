import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x.exp()
y += 1
y = y * 2
y.sum().backward()
