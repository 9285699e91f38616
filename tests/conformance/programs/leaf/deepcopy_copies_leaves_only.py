"""copy.deepcopy copies a leaf with its gradient, and refuses a result."""

import copy

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
(x * x).sum().backward()
y = copy.deepcopy(x)
print(y, y.grad, y.is_leaf, y is x)
y.grad.zero_()
y.detach()[0] = 9
print(x, x.grad)
try:
    copy.deepcopy(x * 2)
except RuntimeError as e:
    print(str(e).split(".")[0])
pair = copy.deepcopy([x, x])
print(pair[0] is pair[1])
