"""clamp passes the gradient inside and at its borders."""

import torch

x = torch.tensor([-2.0, -1.0, 0.0, 1.0, 2.0], requires_grad=True)
for y in [x.clamp(-1, 1), x.clamp(min=0), x.clamp(max=1.0), torch.clamp(x, 0.5, 0.6), x.clamp(1, -1)]:
    x.grad = None
    y.sum().backward()
    print(y, x.grad)
try:
    x.clamp()
except (ValueError, RuntimeError) as e:
    print(type(e).__name__, str(e).split("\n")[0])
