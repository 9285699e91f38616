import torch

x = torch.arange(6).view(2, 3)
y = x.t()
print(y.is_contiguous(), y.stride())
try:
    print(y.view(6))
except RuntimeError as e:
    print(e)
print(y.reshape(6))
print(y.contiguous().view(-1))
