"""Gradients of small batches add up to the one of the whole, if the loss is divided."""

import torch

x = torch.arange(8.0).reshape(8, 1)
y = 3 * x + 2
w = torch.tensor([[1.0]], requires_grad=True)
((x @ w - y) ** 2).mean().backward()
print(w.grad)
for divide in [True, False]:
    w.grad = None
    for xs, ys in zip(x.split(2), y.split(2), strict=True):
        loss = ((xs @ w - ys) ** 2).mean()
        (loss / 4 if divide else loss).backward()
    print(divide, w.grad)
