"""The mode comes back when a block ends with an error."""

import torch

try:
    with torch.no_grad():
        raise ValueError("stop")
except ValueError as e:
    print(e, torch.is_grad_enabled())
mode = torch.no_grad()
for _ in range(2):
    with mode, mode:
        print(torch.is_grad_enabled(), end=" ")
    print(torch.is_grad_enabled())
