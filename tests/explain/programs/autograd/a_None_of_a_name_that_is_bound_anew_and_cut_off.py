import torch
x = torch.ones(3, requires_grad=True)
y = (x * 2).sum()
x = x.detach()
y.backward()
print(x.grad.sum())
