"""With v = [1, 10, 100] each digit of the gradient is one row of the Jacobian."""

import torch

A = torch.tensor([[1.0, 2.0], [0.0, 3.0], [4.0, 1.0]])
x = torch.tensor([1.0, 1.0], requires_grad=True)
y = A @ x
y.backward(torch.tensor([1.0, 10.0, 100.0]), retain_graph=True)
print(y, x.grad)
for i in range(3):
    x.grad = None
    one_hot = torch.zeros(3)
    one_hot[i] = 1
    y.backward(one_hot, retain_graph=True)
    print(i, x.grad)
