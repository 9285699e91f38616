"""copy_() gives the gradient to its source, cast and summed."""

import torch

source = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
target = torch.zeros(3, 2)
target.copy_(source)
print(target)
target.backward(torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))
print(source.grad)
