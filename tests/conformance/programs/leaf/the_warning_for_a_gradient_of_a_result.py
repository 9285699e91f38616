"""Reading .grad of a result warns, every time, and gives None."""

import warnings

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 3
h.sum().backward()
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print(h.grad, h.grad)
    print(x.grad, (x.detach() * 3).grad)
for each in caught:
    print(each.category.__name__, str(each.message).split(". ")[0])
