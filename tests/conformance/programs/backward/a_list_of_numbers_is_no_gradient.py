"""`gradient` is a tensor: a list of numbers is refused, a list with the tensor is not."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x + 2
for gradient in [[1.0, 1.0], (1, 1), [], [torch.ones(2)], (torch.ones(2),)]:
    try:
        y.backward(gradient)
        print("ok", x.grad)
    except (RuntimeError, TypeError) as e:
        print(type(e).__name__, e)
