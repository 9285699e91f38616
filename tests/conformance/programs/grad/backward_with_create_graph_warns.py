"""backward(create_graph=True) warns."""

import warnings

import torch

x = torch.tensor(2.0, requires_grad=True)
with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter("always")
    (x**3).backward(create_graph=True)
    print(len(w), w[0].category.__name__, str(w[0].message).split(". ")[0])
print(x.grad.item(), x.grad.requires_grad, x.grad.is_leaf)
x.grad.backward()
print(x.grad.item())
x.grad = None
