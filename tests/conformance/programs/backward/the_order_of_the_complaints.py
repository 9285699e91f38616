"""The shape of a gradient is looked at before the graph is."""

import torch

c = torch.tensor([1.0, 2.0])
x = torch.tensor([1.0, 2.0], requires_grad=True)
for output, arguments in [
    (c, ()),
    (c.sum(), ()),
    (c, (torch.ones(2),)),
    (c, (torch.ones(3),)),
    (c, ([],)),
    (x * 2, (torch.ones(3),)),
    (x * 2, ([torch.ones(2), "more"],)),
]:
    try:
        output.backward(*arguments)
        print("ok", x.grad)
    except (RuntimeError, TypeError) as e:
        print(type(e).__name__, e)
