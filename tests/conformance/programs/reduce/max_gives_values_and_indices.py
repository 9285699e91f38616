"""max(dim) gives a pair; the indices have no gradient, argmax has none either."""

import torch

x = torch.tensor([[1.0, 5.0, 2.0], [7.0, 0.0, 7.0]], requires_grad=True)
result = x.max(dim=1)
values, indices = result
print(values, indices, indices.requires_grad)
print(result.values is values, result.indices.dtype)
print(torch.max(x, 1, keepdim=True)[0].shape, x.argmax(), x.argmax(1), x.argmin(dim=0))
values.backward(torch.tensor([1.0, 10.0]))
print(x.grad)
try:
    x.argmax().backward()
except RuntimeError as e:
    print(e)
print(torch.max(torch.tensor([1.0, 4.0]), torch.tensor([3.0, 2.0])))
