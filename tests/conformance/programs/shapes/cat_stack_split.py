"""Joining and splitting: each piece gets its part of the gradient."""

import torch

a = torch.tensor([[1.0, 2.0]], requires_grad=True)
b = torch.tensor([[3.0, 4.0], [5.0, 6.0]], requires_grad=True)
c = torch.cat([a, b, a])
print(c)
c.backward(torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]))
print(a.grad, b.grad)
x = torch.arange(5.0, requires_grad=True)
for piece in x.split(2):
    print(piece)
first, *_, last = x.chunk(3)
(first.sum() + 10 * last.sum()).backward()
print(x.grad)
m = torch.ones(2, 3, requires_grad=True)
p, q, r = m.unbind(1)
print(q)
(p * q + 5 * r).sum().backward()
print(m.grad)
try:
    torch.cat([a, torch.ones(1, 3)])
except RuntimeError as e:
    print(e)
