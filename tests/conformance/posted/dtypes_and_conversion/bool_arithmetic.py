import torch

a = torch.tensor([True, True, False])
b = torch.tensor([True, False, False])
print(a + b)
print(a & b, a | b, a ^ b, ~a)
print(a * b, a.sum())
print(torch.logical_not(a), torch.logical_and(a, b))
try:
    print(a - b)
except RuntimeError as e:
    print(e)
