"""x @ w + b: the gradient of b is the sum over the batch."""

import torch

x = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
w = torch.tensor([[1.0, 0.0, -1.0], [0.5, 2.0, 1.0]], requires_grad=True)
b = torch.zeros(3, requires_grad=True)
y = x @ w + b
upstream = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]])
y.backward(upstream)
print(y)
print(w.grad)
print(b.grad, upstream.sum(0))
