import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
low = torch.tensor([2.0, 2.0, 2.0], requires_grad=True)
high = torch.tensor([3.0, 2.0, 3.0], requires_grad=True)
print(*torch.autograd.grad(x.clamp(min=low).sum(), [x, low]))
print(*torch.autograd.grad(torch.clamp_max(x, high).sum(), [x, high]))
print(*torch.autograd.grad(x.clamp(low, high).sum(), [x, low, high]))
