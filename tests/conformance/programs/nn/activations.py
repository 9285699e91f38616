"""The activations as modules, as functions and as methods."""

import torch
import torch.nn.functional as F
from torch import nn

x = torch.tensor([[-1.0, 0.0, 2.0]], requires_grad=True)
for module in [nn.ReLU(), nn.Sigmoid(), nn.Tanh(), nn.Softmax(dim=1), nn.LogSoftmax(dim=1)]:
    x.grad = None
    y = module(x)
    (y * torch.tensor([1.0, 2.0, 3.0])).sum().backward()
    print(module, y, x.grad)
print(torch.equal(F.relu(x), torch.relu(x)), torch.equal(x.tanh(), torch.tanh(x)), nn.ReLU(inplace=True))
