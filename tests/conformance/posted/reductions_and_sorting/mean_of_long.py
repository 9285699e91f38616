import torch

ages = torch.tensor([21, 35, 42])
print(ages.sum(), ages.max(), ages.min())
print(ages.float().mean())
print(ages.median())
print(ages.mean())
