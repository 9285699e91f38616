"""x.grad may be set by hand; backward adds to it; shape and dtype have to fit."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
x.grad = torch.tensor([100.0, 200.0])
(x * x).sum().backward()
print(x.grad)
for value in [torch.ones(3), torch.tensor([1, 2]), torch.ones(2, dtype=torch.float64), [1.0, 2.0], x]:
    try:
        x.grad = value
        print("ok")
    except (RuntimeError, TypeError) as e:
        print(type(e).__name__, str(e).split(". ")[0])
del x.grad
print(x.grad)
