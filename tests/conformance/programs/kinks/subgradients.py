"""Each function has its own gradient at a kink."""

import torch

fs = [
    ("relu", torch.relu),
    ("abs", torch.abs),
    ("clamp_min", lambda t: t.clamp(min=0)),
    ("maximum", lambda t: torch.maximum(t, torch.zeros(()))),
    ("sqrt", torch.sqrt),
    ("sign", torch.sign),
    ("where", lambda t: torch.where(t > 0, t, torch.zeros(()))),
]
for name, f in fs:
    x = torch.tensor(0.0, requires_grad=True)
    f(x).backward()
    print(name, x.grad)
