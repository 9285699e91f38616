"""Several outputs with their grad_outputs: the results are added up."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
w = torch.tensor(3.0, requires_grad=True)
a, b = x * w, (x**2).sum()
print(torch.autograd.grad([a, b], [x, w], [torch.tensor([1.0, 10.0]), torch.tensor(2.0)]))
a, b = (x * w).sum(), (x**2).sum()
print(torch.autograd.grad((a, b), (x, w)))
a, b = x * w, (x**2).sum()
print(torch.autograd.grad([a, b], x, grad_outputs=[torch.ones(2), None]))
