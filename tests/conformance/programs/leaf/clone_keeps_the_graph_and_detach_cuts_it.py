"""clone() stays in the graph, detach() leaves it."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
a = x.clone()
b = x.clone().detach()
c = x.detach().clone().requires_grad_()
print(a.is_leaf, b.requires_grad, c.is_leaf)
(a * 3).sum().backward()
(c * 5).sum().backward()
print(x.grad, c.grad)
b[0] = 100.0
print(x)
