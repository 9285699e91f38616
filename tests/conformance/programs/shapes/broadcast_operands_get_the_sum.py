"""An operand that was broadcast gets the gradient summed back to its shape."""

import torch

for shape in [(), (1,), (3,), (1, 3), (2, 1), (2, 3), (1, 1, 1)]:
    a = torch.full(shape, 2.0, requires_grad=True)
    b = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
    y = a * b
    y.backward(torch.tensor([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]]).expand(y.shape))
    print(tuple(y.shape), a.grad, b.grad.tolist())
