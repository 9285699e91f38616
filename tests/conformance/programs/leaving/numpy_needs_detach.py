"""numpy() needs detach(), and shares the memory."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
try:
    x.numpy()
except RuntimeError as e:
    print(type(e).__name__, str(e).split("\n")[0])
a = x.detach().numpy()
a[0] = 50.0
print(a, x)
with torch.no_grad():
    print((x * 2).numpy())
