"""Setting requires_grad on the loss trains nothing."""

import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
with torch.no_grad():
    loss = (w * w).sum()
loss.requires_grad_(True)
loss.backward()
print(loss.is_leaf, loss.grad)
print(w.grad)
