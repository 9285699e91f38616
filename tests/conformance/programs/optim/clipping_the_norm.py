"""clip_grad_norm_ returns the norm and scales all gradients; clip_grad_value_ cuts them off."""

import torch

a = torch.tensor([3.0, 0.0], requires_grad=True)
b = torch.tensor([4.0], requires_grad=True)
for limit in [1.0, 100.0]:
    a.grad = b.grad = None
    ((a**2).sum() / 2 + (b**2).sum() / 2).backward()
    print(torch.nn.utils.clip_grad_norm_([a, b], limit), a.grad, b.grad)
print(torch.nn.utils.clip_grad_norm_([a], 1.0, norm_type=float("inf")), a.grad)
torch.nn.utils.clip_grad_value_([a, b], 0.5)
print(a.grad, b.grad)
print(torch.nn.utils.clip_grad_norm_([torch.ones(1, requires_grad=True)], 1.0))
