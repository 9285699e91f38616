import torch

a = torch.tensor([1, 2, 3])
print(a / 2)
print(a * 0.5)
a *= 2
print(a)
try:
    a /= 2
except RuntimeError as e:
    print("in place division:", e)
a //= 2
print(a, a.dtype)
