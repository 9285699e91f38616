import torch
import torch.nn.functional as F

pred = torch.tensor([[1.0], [2.0], [3.0]])   # (3, 1)
y = torch.tensor([1.0, 2.0, 3.0])            # (3,)

print((pred - y).shape)
print("wrong:", ((pred - y) ** 2).mean())
print("right:", F.mse_loss(pred.squeeze(1), y))
