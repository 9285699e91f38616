"""float32 times float64 is float64; each leaf gets a gradient of its own dtype."""

import torch

a = torch.tensor([1.0, 2.0], requires_grad=True)
b = torch.tensor([3.0, 4.0], dtype=torch.float64, requires_grad=True)
y = a * b
print(y)
y.sum().backward()
print(a.grad, b.grad)
z = a.double() @ b
z.backward()
print(z, a.grad, a.grad.dtype)
try:
    a @ b
except RuntimeError as e:
    print(e)
