"""An index that occurs twice gets both gradients."""

import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
idx = torch.tensor([0, 0, 2])
picked = x[idx]
picked.backward(torch.tensor([1.0, 10.0, 100.0]))
print(picked.detach(), x.grad)
x.grad = None
(x[0] + x[0] + x[-1]).backward()
print(x.grad)
