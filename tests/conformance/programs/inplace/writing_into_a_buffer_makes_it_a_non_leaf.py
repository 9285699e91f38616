"""Writing into a buffer makes it a non-leaf."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
buf = torch.zeros(3)
print(buf.is_leaf, buf.requires_grad)
buf[0] = x[0] * 2
buf[1:] = x * 3
print(buf.is_leaf, buf.requires_grad)
print(buf)
buf.sum().backward()
print(x.grad)
