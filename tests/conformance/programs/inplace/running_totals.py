"""x += y changes a tensor, x = x + y makes a new one: who else holds the tensor sees the difference."""

import torch

a = torch.zeros(2)
b = a
a += 1
print(a, b)
a = a + 1
print(a, b)
total = torch.zeros(())
w = torch.tensor(2.0, requires_grad=True)
for i in range(3):
    total += w * i
print(total, total._version)
total.backward()
print(w.grad)
