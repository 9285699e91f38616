"""An update that makes a new tensor under no_grad() loses the leaf."""

import torch

w = torch.tensor(4.0, requires_grad=True)
(w * w).backward()
with torch.no_grad():
    w = w - 0.1 * w.grad
print(w, w.requires_grad, w.is_leaf, w.grad)
try:
    (w * w).backward()
except RuntimeError as e:
    print(type(e).__name__, str(e).split("\n")[0])
