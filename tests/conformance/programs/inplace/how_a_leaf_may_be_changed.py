"""Under no_grad(), through .data or through detach(): the leaf stays a leaf."""

import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
with torch.no_grad():
    w -= 0.5
    w[0] = 7.0
    w.mul_(2)
print(w, w._version)
w.data[1] = -1.0
print(w, w._version)
w.detach().fill_(4)
print(w, w._version, w.is_leaf)
w.data = torch.tensor([8.0, 9.0])
print(w, w.is_leaf)
(w * w).sum().backward()
print(w.grad)
