"""Every intermediate gradient of a small chain, kept and printed."""

import torch

x = torch.tensor(1.5, requires_grad=True)
steps = [x]
for f in [lambda t: t * 2, torch.exp, torch.log, torch.square, torch.neg]:
    steps.append(f(steps[-1]))
    steps[-1].retain_grad()
steps[-1].backward()
for t in steps:
    print(t, t.grad)
