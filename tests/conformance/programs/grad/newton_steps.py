"""Newton's method for a root and for a minimum, with derivatives from autograd."""

import torch

x = torch.tensor(3.0, requires_grad=True)
for _ in range(4):
    f = x**3 - 10
    (df,) = torch.autograd.grad(f, x)
    x = (x - f / df).detach().requires_grad_()
    print(f"{x.item():.4f}")
w = torch.tensor([2.0, -1.0], requires_grad=True)
for _ in range(3):
    f = (w**4).sum() + (w**2).sum()
    (g,) = torch.autograd.grad(f, w, create_graph=True)
    (h,) = torch.autograd.grad(g.sum(), w)
    with torch.no_grad():
        w -= g / h
    print(w)
