"""The gradient of a 0-d loss is 0-d: it scales, and a tensor of shape [1] is refused."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
loss = (x**2).sum()
loss.backward(torch.tensor(3.0), retain_graph=True)
print(x.grad)
try:
    loss.backward(torch.Tensor([1.0]), retain_graph=True)
except RuntimeError as e:
    print(e)
try:
    loss.backward(1.0)
except TypeError as e:
    print(e)
loss.backward(None)
print(x.grad)
