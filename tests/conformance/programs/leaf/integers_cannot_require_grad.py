"""Only floating tensors can require grad, and three texts say so."""

import torch

calls = {
    "tensor": lambda: torch.tensor([1, 2], requires_grad=True),
    "ones": lambda: torch.ones(2, dtype=torch.int64, requires_grad=True),
    "arange": lambda: torch.arange(3, requires_grad=True),
    "method": lambda: torch.tensor([1, 2]).requires_grad_(),
    "bool": lambda: torch.tensor([True]).requires_grad_(),
    "Parameter": lambda: torch.nn.Parameter(torch.tensor([1, 2])),
    "off": lambda: torch.tensor([1, 2]).requires_grad_(False),
    "arange of floats": lambda: torch.arange(3.0, requires_grad=True),
    "cast": lambda: torch.tensor([1, 2]).float().requires_grad_(),
}
for name, call in calls.items():
    try:
        print(name, call())
    except RuntimeError as e:
        print(name, e)
