"""An overwritten entry has gradient 0, the value that was written gets it."""

import torch

t = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
v = torch.tensor(5.0, requires_grad=True)
a = t * t
a[0] = v
a[1] = v * 2
a[1] = 7.0
print(a)
a.backward(torch.tensor([1.0, 10.0, 100.0]))
print(t.grad, v.grad)
