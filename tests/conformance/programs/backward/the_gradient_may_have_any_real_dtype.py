"""Integers, bools and doubles are accepted as gradient and cast to the dtype of the output."""

import torch

for v in [torch.tensor([1, 2]), torch.tensor([True, False]), torch.tensor([0.5, 0.25], dtype=torch.float64)]:
    x = torch.tensor([1.0, 3.0], requires_grad=True)
    (x * x).backward(v)
    print(v.dtype, x.grad, x.grad.dtype)
