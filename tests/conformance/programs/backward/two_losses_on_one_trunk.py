"""Two losses on one trunk: the second backward needs retain_graph in the first."""

import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
for keep in [False, True]:
    w.grad = None
    trunk = w * w
    first, second = trunk.sum(), (trunk * 10).sum()
    first.backward(retain_graph=keep)
    try:
        second.backward()
        print(keep, w.grad)
    except RuntimeError as e:
        print(keep, str(e).split(" (")[0], w.grad)
