"""prod(): without zeros, with one, with two; and along a dimension."""

import torch

for values in [[2.0, 3.0, 4.0], [2.0, 0.0, 4.0], [0.0, 3.0, 0.0], [5.0]]:
    x = torch.tensor(values, requires_grad=True)
    y = x.prod()
    y.backward()
    print(y, x.grad)
m = torch.tensor([[1.0, 2.0, 3.0], [0.0, 4.0, 5.0]], requires_grad=True)
y = m.prod(dim=1)
y.backward(torch.tensor([1.0, 10.0]))
print(y, m.grad)
