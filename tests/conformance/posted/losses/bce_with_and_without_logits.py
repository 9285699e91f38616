import torch
import torch.nn as nn

x = torch.tensor([0.3, -1.2, 2.0])
y = torch.tensor([1.0, 0.0, 1.0])
print(nn.BCEWithLogitsLoss()(x, y))
print(nn.BCELoss()(torch.sigmoid(x), y))
try:
    nn.BCELoss()(x, y)
except RuntimeError as e:
    print(str(e).split("\n")[0])
print(nn.BCEWithLogitsLoss(pos_weight=torch.tensor(3.0))(x, y))
print(nn.BCEWithLogitsLoss(reduction="none")(x, y))
