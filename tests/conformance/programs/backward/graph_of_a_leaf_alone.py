"""A leaf is its own graph: backward stores the upstream gradient, again and again."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
g = torch.tensor([3.0, 4.0])
x.backward(g)
print(x.grad)
x.backward(g)
print(x.grad, g)
s = torch.tensor(5.0, requires_grad=True)
print(s.backward(), s.grad)
