"""einsum in several forms, with gradients."""

import torch

a = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
b = torch.tensor([[1.0, -1.0], [0.5, 2.0], [3.0, 0.0]], requires_grad=True)
for formula, operands in [
    ("ij,jk->ik", (a, b)),
    ("ij,jk", (a, b)),
    ("ij,kj->ik", (a, a)),
    ("ij->ji", (a,)),
    ("ij->", (a,)),
    ("ij->i", (a,)),
    ("ij,ij->i", (a, a)),
    ("i,j->ij", (a[0], b[:, 0])),
    ("ij,jk,k->i", (a, b, b[0])),
]:
    a.grad = b.grad = None
    y = torch.einsum(formula, *operands)
    (y * y).sum().backward()
    print(formula, y.tolist())
    print(a.grad.tolist(), b.grad.tolist() if b.grad is not None else None)
