import torch

a = torch.tensor([[1, 2], [3, 4]])
b = torch.tensor([[0.5, 0.5], [1.0, 1.0]])
print(a.dtype, b.dtype)
print(a * b)
print(a @ b)
