"""retain_grad() on a leaf does nothing."""

import torch

x = torch.tensor(2.0, requires_grad=True)
print(x.retain_grad(), x.retains_grad)
(x * 5).backward()
print(x.grad, x.retains_grad)
