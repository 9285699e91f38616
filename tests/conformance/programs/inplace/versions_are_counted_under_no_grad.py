"""The version also counts under no_grad()."""

import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
loss = (w * w).sum()
print(w._version)
with torch.no_grad():
    w -= 0.1
print(w._version)
try:
    loss.backward()
except RuntimeError as e:
    print(type(e).__name__, str(e).split(": [")[0])
