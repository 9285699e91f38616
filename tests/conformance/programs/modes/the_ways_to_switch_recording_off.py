"""no_grad as a block and as a decorator, enable_grad, set_grad_enabled as a block and as a call."""

import torch

x = torch.tensor(3.0, requires_grad=True)


@torch.no_grad()
def with_brackets(t):
    return t * 2


@torch.no_grad
def without_brackets(t):
    return t * 2


@torch.enable_grad()
def recorded(t):
    return t * 2


print(with_brackets(x), without_brackets(x), with_brackets.__name__)
with torch.no_grad():
    print(torch.is_grad_enabled(), recorded(x), x * 2)
for flag in [False, True]:
    with torch.set_grad_enabled(flag):
        print((x * 2).requires_grad)
torch.set_grad_enabled(False)
print(torch.is_grad_enabled(), (x * 2).requires_grad)
torch.set_grad_enabled(True)
print((x * 2).requires_grad)
