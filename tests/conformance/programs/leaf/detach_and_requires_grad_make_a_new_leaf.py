"""detach() and then requires_grad_() make a new leaf."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x * 2).detach().requires_grad_()
print(y.is_leaf, y.grad_fn, y.requires_grad)
(y**2).sum().backward()
print(y.grad, x.grad)
