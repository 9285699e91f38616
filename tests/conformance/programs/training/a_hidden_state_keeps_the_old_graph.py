"""A hidden state that is carried along keeps the old graph."""

import torch

w = torch.tensor(0.5, requires_grad=True)
for mode in ["keep", "detach"]:
    h = torch.tensor(1.0)
    w.grad = None
    try:
        for t in range(3):
            h = w * (h.detach() if mode == "detach" else h)
            h.backward()
            print(mode, t, h.item(), w.grad.item())
    except RuntimeError as e:
        print(mode, t, type(e).__name__, str(e).split(" (")[0])
