import torch

x = torch.tensor([[1, -2, 3], [-4, 5, -6]])
mask = x > 0
print(mask)
print(x[mask])
print(x.masked_fill(mask, 0))
print(torch.masked_select(x, ~mask))
x[x < 0] = 0
print(x, mask.sum(), (x == 0).any(dim=1))
