import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
g = torch.autograd.grad((x ** 3).sum(), x)
g[0].sum().backward()
