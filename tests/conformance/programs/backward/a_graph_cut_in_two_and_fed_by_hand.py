"""A graph cut in two: the gradient is handed over by hand."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = 2 * x + 1
y_leaf = y.detach().requires_grad_()
out = (y_leaf**2).sum()
out.backward()
print(x.grad, y_leaf.grad)
y.backward(y_leaf.grad)
print(x.grad)
