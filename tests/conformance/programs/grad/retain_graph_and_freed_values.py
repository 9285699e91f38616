"""autograd.grad frees the graph as backward does."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x**2).sum()
print(torch.autograd.grad(y, x, retain_graph=True))
print(torch.autograd.grad(y, x))
for call in [lambda: torch.autograd.grad(y, x), y.backward]:
    try:
        call()
    except RuntimeError as e:
        print(str(e).split(" (")[0])
