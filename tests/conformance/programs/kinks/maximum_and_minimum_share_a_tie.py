"""maximum and minimum give each side half at a tie; max with a number is clamp or where."""

import torch

for f in [torch.maximum, torch.minimum, torch.max]:
    a = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    b = torch.tensor([3.0, 2.0, 1.0], requires_grad=True)
    y = f(a, b)
    y.backward(torch.tensor([1.0, 10.0, 100.0]))
    print(y, a.grad, b.grad)
a = torch.tensor([1.0, float("nan")], requires_grad=True)
y = torch.maximum(a, torch.zeros(()))
y.sum().backward()
print(y, a.grad)
