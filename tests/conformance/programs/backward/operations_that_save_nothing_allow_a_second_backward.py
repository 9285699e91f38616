"""Operations that saved nothing allow a second backward."""

import torch

fs = {
    "add": lambda t: t + 2,
    "neg": lambda t: -t,
    "sub": lambda t: 1 - t,
    "sum": lambda t: t.sum(),
    "mean": lambda t: t.mean(),
    "view": lambda t: t.view(2, 1),
    "index": lambda t: t[0],
    "cat": lambda t: torch.cat([t, t]),
    "clone": lambda t: t.clone(),
}
for name, f in fs.items():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = f(x)
    y.backward(torch.ones_like(y))
    try:
        y.backward(torch.ones_like(y))
        print(name, "ok", x.grad)
    except RuntimeError as e:
        print(name, type(e).__name__)
