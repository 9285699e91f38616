import torch
from torch.utils.data import random_split, Subset

data = list(range(100, 110))
g = torch.Generator().manual_seed(42)
train, val = random_split(data, [8, 2], generator=g)
print(len(train), len(val), type(train).__name__)
print(sorted(list(train) + list(val)) == data)
print([len(p) for p in random_split(data, [0.5, 0.3, 0.2])])
print(list(Subset(data, [0, 2, 4])))
try:
    random_split(data, [7, 2])
except ValueError as e:
    print(e)
