import torch
x = torch.ones(2, requires_grad=True)
u = torch.ones(2, requires_grad=True)
u.sum().backward()
print(x.grad + 1)
