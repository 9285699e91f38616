"""A frozen parameter gets no gradient."""

import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
b = torch.tensor([3.0, 4.0], requires_grad=True)
b.requires_grad_(False)
out = (w * 2 + b).sum()
out.backward()
print(w.grad, b.grad, b.is_leaf)
