"""A decorated generator runs each of its steps without recording, and its caller with."""

import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)


@torch.no_grad()
def doubled():
    for value in x:
        yield value * 2, torch.is_grad_enabled()


for value, enabled in doubled():
    print(value, value.requires_grad, enabled, torch.is_grad_enabled())
