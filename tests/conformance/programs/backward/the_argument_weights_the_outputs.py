"""y.backward(v) is (y * v).sum().backward(): v holds the weights of the outputs."""

import torch

v = torch.tensor([0.1, 1.0, 0.0001])
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
(x**2).backward(v)
print(x.grad)
x.grad = None
(x**2 * v).sum().backward()
print(x.grad)
x.grad = None
(x**2).backward(torch.zeros(3))
print(x.grad)
