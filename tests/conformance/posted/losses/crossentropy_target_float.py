import torch
import torch.nn as nn

torch.manual_seed(0)
out = torch.randn(4, 3)
target = torch.tensor([0.0, 1.0, 2.0, 1.0])
loss_fn = nn.CrossEntropyLoss()
try:
    print(loss_fn(out, target))
except RuntimeError as e:
    print(e)
print(loss_fn(out, target.long()))
