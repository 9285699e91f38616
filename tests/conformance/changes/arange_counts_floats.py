import torch

print(torch.arange(0, 5.5, dtype=torch.int64))
print(torch.arange(0, 5.5, dtype=torch.int32))
