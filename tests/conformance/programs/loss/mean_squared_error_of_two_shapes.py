"""mse_loss broadcasts two shapes, with a warning."""

import warnings

import torch
import torch.nn.functional as F

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    loss = F.mse_loss(x, torch.tensor([[1.0], [2.0], [3.0]]))
print(loss)
loss.backward()
print(x.grad)
for each in caught:
    print(each.category.__name__, each.message)
