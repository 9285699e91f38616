"""Variable(t, requires_grad=True) is a new tensor on the memory of t."""

import torch
from torch.autograd import Variable

t = torch.ones(2)
v = Variable(t, requires_grad=True)
t[0] = 5.0
print(v, t.requires_grad, v is t)
(v * v).sum().backward()
print(v.grad, t.grad)
w = Variable(v * 2)
print(w, w.is_leaf)
