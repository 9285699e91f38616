"""A list of outputs gives the sum of their gradients, not a list of gradients."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x**2
print(torch.autograd.grad([y[0], y[1]], x, retain_graph=True))
print([torch.autograd.grad(each, x, retain_graph=True)[0] for each in y])
try:
    torch.autograd.grad(y, x, torch.eye(2))
except RuntimeError as e:
    print(e)
rows = [torch.autograd.grad(y, x, v, retain_graph=True)[0] for v in torch.eye(2)]
print(torch.stack(rows))
print(torch.autograd.grad(y, x, torch.eye(2), is_grads_batched=True))
