"""Backward of a sum of losses equals the losses one after the other."""

import torch

w = torch.tensor([1.0, -2.0], requires_grad=True)
first, second = (w * 3).sum(), (w**2).sum()
(first + second).backward()
print(w.grad)
w.grad = None
(w * 3).sum().backward()
print(w.grad)
(w**2).sum().backward()
print(w.grad)
