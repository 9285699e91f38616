import torch
import torch.nn as nn

pred = torch.tensor([1.0, 2.0, 4.0])
true = torch.tensor([1.0, 3.0, 1.0])
for r in ("none", "sum", "mean"):
    print(r, nn.MSELoss(reduction=r)(pred, true))
print(nn.L1Loss()(pred, true), nn.SmoothL1Loss()(pred, true), nn.HuberLoss(delta=0.5)(pred, true))
print(torch.sqrt(nn.MSELoss()(pred, true)))
