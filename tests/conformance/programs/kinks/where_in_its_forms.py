"""where() with tensors and numbers, broadcast: each side gets its part."""

import torch

a = torch.tensor([[1.0, 2.0, 3.0]], requires_grad=True)
b = torch.tensor([[10.0], [20.0]], requires_grad=True)
condition = torch.tensor([[True, False, True], [False, False, True]])
y = torch.where(condition, a, b)
print(y)
y.backward(torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
print(a.grad, b.grad)
z = torch.where(a > 1, a * 5, -1.0)
z.sum().backward()
print(z, a.grad)
print(torch.where(condition, 1.0, 0.0), a.where(a > 2, torch.tensor(0.0)))
print(torch.where(torch.tensor([0, 1]).bool(), torch.tensor([1, 2]), torch.tensor([0.5, 0.25])))
