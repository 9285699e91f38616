"""A batched product with a broadcast matrix: the gradient of the matrix is summed over the batch."""

import torch

a = torch.arange(12.0).reshape(2, 2, 3).requires_grad_()
m = torch.tensor([[1.0, 0.0], [2.0, -1.0], [0.5, 3.0]], requires_grad=True)
y = torch.matmul(a, m)
print(y)
y.backward(torch.arange(8.0).reshape(2, 2, 2))
print(a.grad)
print(m.grad)
