"""One backward for each step needs a state that is detached, or a graph that is kept."""

import torch

for mode in ["detach", "keep", "retain"]:
    w = torch.tensor(0.5, requires_grad=True)
    h = torch.tensor(1.0)
    try:
        for _ in range(3):
            h = torch.tanh(w * h)
            (h * h).backward(retain_graph=mode == "retain")
            if mode == "detach":
                h = h.detach()
        print(mode, w.grad)
    except RuntimeError as e:
        print(mode, str(e).split(" (")[0])
