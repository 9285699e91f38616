import torch

x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
print(x.sum(), x.sum().item())
print(x.sum(dim=0), x.sum(dim=1))
print(x.mean(1, keepdim=True))
print(x / x.sum(dim=1, keepdim=True))
print(x.sum((0, 1)), x.prod(), x.cumsum(dim=1))
