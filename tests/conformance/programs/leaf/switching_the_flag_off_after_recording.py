"""What was recorded stays recorded, but a leaf whose flag went off takes no gradient."""

import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
x = torch.tensor([3.0, 4.0], requires_grad=True)
y = (w * x).sum()
w.requires_grad_(False)
y.backward()
print(w.grad, x.grad, y.requires_grad)
w.requires_grad_(True)
(w * x).sum().backward()
print(w.grad)
