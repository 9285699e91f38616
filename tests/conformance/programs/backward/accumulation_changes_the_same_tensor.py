"""Whoever kept x.grad sees it grow: accumulation changes the tensor that is there."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
(x * 2).sum().backward()
kept, copied = x.grad, x.grad.clone()
(x * 3).sum().backward()
print(kept, copied, kept is x.grad)
x.grad = None
(x * 3).sum().backward()
print(kept, x.grad, kept is x.grad)
