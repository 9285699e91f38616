"""A recurrence written into a buffer: a product with a number is fine, a square is not."""

import torch

for name, step in {"double": lambda t: 2 * t, "square": lambda t: t * t, "clone": lambda t: t.clone() ** 2}.items():
    x = torch.tensor(1.5, requires_grad=True)
    a = torch.zeros(4)
    a[0] = x
    try:
        for i in range(1, 4):
            a[i] = step(a[i - 1])
        a.sum().backward()
        print(name, a.detach(), x.grad)
    except RuntimeError as e:
        print(name, str(e).split("operation: ")[1].split(" Hint")[0])
