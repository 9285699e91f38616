import torch

a = torch.ones(2, 3)
b = torch.zeros(2, 3)
print(torch.cat([a, b]).shape)
print(torch.cat((a, b), dim=1))
print(torch.stack([a, b]).shape)
print(torch.stack([a, b], dim=-1).shape)
c = torch.zeros(3, 2)
try:
    torch.cat([a, c], dim=0)
except RuntimeError as e:
    print(e)
