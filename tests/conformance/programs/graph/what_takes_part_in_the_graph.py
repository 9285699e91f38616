"""Which inputs of an operation make its result part of the graph."""

import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
c = torch.tensor([3.0, 4.0])
for y in [c * c, c * w, torch.where(w > 1, c, c), c[w.detach().long() - 1], torch.stack([c, w]), w.detach() * c]:
    print(y.requires_grad, y.is_leaf, y.grad_fn is not None)
chosen = w if w.sum() > 0 else c
(chosen * c).sum().backward()
print(w.grad)
print(torch.zeros_like(w).requires_grad, torch.empty_like(w, requires_grad=True).requires_grad)
