import torch

a = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
b = torch.tensor([2.0, 2.0, 2.0], requires_grad=True)
for function in (torch.fmax, torch.fmin, torch.maximum):
    print(*torch.autograd.grad(function(a, b).sum(), [a, b]))
