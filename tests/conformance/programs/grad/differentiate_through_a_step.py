"""A step of gradient descent inside the graph: the gradient by the learning rate."""

import torch

lr = torch.tensor(0.1, requires_grad=True)
w = torch.tensor([1.0, -2.0], requires_grad=True)
target = torch.tensor([3.0, 1.0])
inner = ((w - target) ** 2).sum()
(g,) = torch.autograd.grad(inner, w, create_graph=True)
updated = w - lr * g
outer = ((updated - target) ** 2).sum()
outer.backward()
print(updated, outer)
print(lr.grad, w.grad)
