"""backward(v) gives the vector-Jacobian product, not the Jacobian-vector product."""

import torch

A = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
x = torch.tensor([1.0, 1.0], requires_grad=True)
y = A @ x
v = torch.tensor([1.0, 0.0, -1.0])
y.backward(v)
print(y.shape, x.grad)
print(v @ A, A.T @ v)
