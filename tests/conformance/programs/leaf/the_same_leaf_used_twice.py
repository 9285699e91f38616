"""A leaf used in several places gets the sum, and a product with itself counts twice."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * x + torch.stack([x, 2 * x]).sum(0) + x[0]
y.backward(torch.tensor([1.0, 100.0]))
print(y, x.grad)
