"""The factories with requires_grad, their dtypes and their texts."""

import torch

made = [
    torch.zeros(2, requires_grad=True),
    torch.ones(1, 2, requires_grad=True),
    torch.full((2,), 7),
    torch.full((2,), 0.5, requires_grad=True),
    torch.eye(2, 3),
    torch.arange(1, 10, 3),
    torch.arange(0, 1, 0.25),
    torch.linspace(0, 1, 5, requires_grad=True),
    torch.zeros_like(torch.tensor([1, 2])),
    torch.ones_like(torch.tensor([1, 2]), dtype=torch.float32),
    torch.full_like(torch.zeros(2), 3.0),
    torch.tensor([[1, 2], [3, 4.0]]),
    torch.tensor([1, True, 2.5]),
    torch.tensor([]),
    torch.zeros((2, 2), dtype=torch.bool),
    torch.zeros([3]).double(),
    torch.ones(2).new_zeros(2),
]
for t in made:
    print(t)
