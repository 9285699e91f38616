import torch

print(torch.linspace(0, 1, 4, dtype=torch.float16))
print(torch.linspace(-1, 2, 7, dtype=torch.float16))
print(torch.linspace(0, 1, 4))
