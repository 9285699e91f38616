"""A second backward needs what the first one freed."""

import torch

x = torch.tensor(3.0, requires_grad=True)
y = x * x
y.backward()
try:
    y.backward()
except RuntimeError as e:
    print(type(e).__name__, str(e).split("\n")[0])
print(x.grad)
