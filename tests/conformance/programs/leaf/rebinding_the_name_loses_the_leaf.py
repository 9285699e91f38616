"""x = x.view(...) gives the name to a result; the leaf and its gradient have no name any more."""

import warnings

import torch

x = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
leaf = x
x = x.view(2, 2)
(x**2).sum().backward()
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    print(x.is_leaf, x.grad)
print(leaf.is_leaf, leaf.grad)
y = torch.randn(4).view(2, 2).requires_grad_()
print(y.is_leaf)
