import torch
x = torch.ones(2, requires_grad=True)
y = x.exp()
torch.stack([torch.autograd.grad(y[i], x)[0] for i in range(2)])
