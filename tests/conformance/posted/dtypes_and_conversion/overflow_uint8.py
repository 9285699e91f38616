import torch

img = torch.tensor([250, 100, 5], dtype=torch.uint8)
print(img + 10)
print(img - 10)
print(img.float() / 255)
print((img * 2).dtype, (img * 2.0).dtype, (img + torch.tensor([1])).dtype)
print(torch.iinfo(torch.uint8).max, torch.finfo(torch.float32).eps)
print(img.sum().dtype, img.sum())
