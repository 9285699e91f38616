import torch
a = torch.tensor([2.0, 1.0, 1.0, 3.0, 1.0], requires_grad=True)
print(torch.autograd.grad(a.min(), a)[0])
print(torch.autograd.grad(a.min(dim=0).values, a)[0])
print(torch.autograd.grad(a.amin(), a)[0])
print(torch.autograd.grad(torch.minimum(a, torch.ones(5)).sum(), a)[0])
print(torch.autograd.grad(a.clamp(min=1.0).sum(), a)[0])
print(torch.autograd.grad(a.sort().values[0], a)[0])
print(torch.autograd.grad(a.median(), a)[0])
