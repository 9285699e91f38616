"""(n, 1) against (m): a matrix nobody asked for, and its gradients."""

import torch

prediction = torch.tensor([[1.0], [2.0], [3.0]], requires_grad=True)
target = torch.tensor([1.0, 2.0, 3.0])
wrong = ((prediction - target) ** 2).mean()
right = ((prediction.squeeze(1) - target) ** 2).mean()
print((prediction - target).shape, wrong, right)
wrong.backward()
print(prediction.grad)
