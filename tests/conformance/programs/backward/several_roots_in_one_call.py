"""torch.autograd.backward takes several roots; None stands for the implicit gradient."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
a, b = x * x, (3 * x).sum()
torch.autograd.backward([a, b], [torch.tensor([1.0, 10.0]), None])
print(x.grad)
x.grad = None
torch.autograd.backward((x.sum(), x.sum()))
print(x.grad)
y = (x * x).sum()
try:
    torch.autograd.backward([y, y], [torch.tensor(1.0)])
except RuntimeError as e:
    print(e)
