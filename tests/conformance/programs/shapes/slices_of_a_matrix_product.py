"""c = a @ b: the gradient of b is the sum of one slice for each entry of c."""

import torch

a = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
b = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
c = a @ b
for i in range(2):
    for j in range(3):
        print(i, j, torch.autograd.grad(c[i, j], b, retain_graph=True)[0].tolist())
c.backward(torch.ones_like(c))
print(c)
print(b.grad)
print(a.grad)
