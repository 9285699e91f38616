"""outer, dot, mv and mm with their gradients."""

import torch

a = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
b = torch.tensor([4.0, 5.0], requires_grad=True)
o = torch.outer(a, b)
print(o)
o.backward(torch.tensor([[1.0, 0.0], [0.0, 1.0], [10.0, 10.0]]))
print(a.grad, b.grad)
a.grad = None
d = torch.dot(a, a)
d.backward()
print(d, a.grad)
m = torch.mm(o.detach(), torch.ones(2, 1))
print(m, torch.mv(o, b))
