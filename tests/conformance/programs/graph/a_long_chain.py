"""A chain of ten thousand operations: no recursion, neither in backward nor when it is dropped."""

import torch

x = torch.tensor(1.0, requires_grad=True)
y = x
for _ in range(10_000):
    y = y * 1.0001
y.backward()
print(f"{y.item():.3f} {x.grad.item():.3f}")
y = x
for i in range(2_000):
    y = y + x if i % 2 else y - x
x.grad = None
y.backward()
print(y, x.grad)
del y
