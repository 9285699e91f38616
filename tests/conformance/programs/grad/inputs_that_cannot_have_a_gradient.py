"""autograd.grad refuses what requires no grad, used or not."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
c = torch.tensor([3.0, 4.0])
for output, inputs in [((x * c).sum(), [x, c]), ((c * c).sum(), [x]), (x * c, [x]), (x.detach().sum(), x)]:
    try:
        print(torch.autograd.grad(output, inputs, allow_unused=True))
    except RuntimeError as e:
        print(e)
