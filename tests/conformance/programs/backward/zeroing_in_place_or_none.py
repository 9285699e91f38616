"""zero_() keeps the tensor, None drops it: who holds the old gradient sees the difference."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
(x * 2).sum().backward()
kept = x.grad
x.grad.zero_()
print(kept, kept is x.grad)
(x * 5).sum().backward()
print(kept)
x.grad = None
print(x.grad, kept)
