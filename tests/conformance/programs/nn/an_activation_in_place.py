"""ReLU(inplace=True) after a layer is fine, after a sigmoid it is not."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.tensor([[1.0, -1.0]])
for net in [
    nn.Sequential(nn.Linear(2, 2), nn.ReLU(inplace=True)),
    nn.Sequential(nn.Linear(2, 2), nn.Sigmoid(), nn.ReLU(inplace=True)),
]:
    try:
        net(x).sum().backward()
        print(net[0].bias.grad)
    except RuntimeError as e:
        print(str(e).split(" Hint")[0])
