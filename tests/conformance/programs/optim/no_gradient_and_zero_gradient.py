"""A step skips .grad None; with a gradient of zero momentum and decay still act."""

import torch

for to_none in [True, False]:
    w = torch.tensor([1.0], requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1, momentum=0.9, weight_decay=0.1)
    w.sum().backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=to_none)
    print(w.grad)
    optimizer.step()
    optimizer.step()
    print(w)
