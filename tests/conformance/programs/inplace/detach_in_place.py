"""detach_() takes a tensor out of the graph; what was computed before keeps its graph."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 2
before = h * 3
h.detach_()
after = h * 3
print(h, h.is_leaf, after.requires_grad)
before.sum().backward()
print(x.grad)
h.requires_grad_()
(h * h).sum().backward()
print(h.grad, x.grad)
