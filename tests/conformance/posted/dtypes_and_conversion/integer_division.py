import torch

a = torch.tensor([7, -7])
print(a / 2)
print(a // 2)
print(torch.div(a, 2, rounding_mode="trunc"))
print(torch.div(a, 2, rounding_mode="floor"))
print(a % 3, torch.fmod(a, 3), torch.remainder(a, -3))
print(torch.floor(a / 2), torch.round(a / 2))
