"""For a matrix, upstream ones add up the gradient slices of all entries."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
A = torch.tensor([[1.0, 10.0], [100.0, 1000.0]])
Y = A * x
total = torch.zeros(2)
for i in range(2):
    for j in range(2):
        (g,) = torch.autograd.grad(Y[i, j], x, retain_graph=True)
        print(i, j, g)
        total = total + g
Y.backward(torch.ones_like(Y))
print(total, x.grad)
