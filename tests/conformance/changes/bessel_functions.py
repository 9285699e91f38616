import torch

x = torch.tensor([1.0], requires_grad=True)
print(torch.special.bessel_j0(x).requires_grad)
half = torch.tensor([1.0], dtype=torch.float16, requires_grad=True)
try:
    torch.special.i1(half).sum().backward()
    print(half.grad)
except RuntimeError as error:
    print(type(error).__name__, error)
