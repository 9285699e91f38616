import torch

a = torch.tensor([1.0, float("nan"), float("nan")], requires_grad=True)
b = torch.tensor([float("nan"), 2.0, float("nan")], requires_grad=True)
y = torch.fmax(a, b)
print(y)
print(*torch.autograd.grad(y.sum(), [a, b]))
