"""With create_graph the accumulated gradient has a graph; reset it before the next use."""

import warnings

import torch

x = torch.tensor(3.0, requires_grad=True)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    (x**2).backward(create_graph=True)
print(x.grad, x.grad.is_leaf)
first = x.grad
(x.grad * 2).backward()
print(x.grad, first is x.grad)
x.grad = None
(g,) = torch.autograd.grad(x**3, x, create_graph=True)
(g**2).backward()
print(g, x.grad)
