"""What an index gives, and where the gradient goes."""

import torch

base = torch.arange(12.0).reshape(3, 4)
indices = {
    "1": 1,
    "-1": -1,
    "1, 2": (1, 2),
    ":, 1": (slice(None), 1),
    "::2, 1:3": (slice(None, None, 2), slice(1, 3)),
    "..., 0": (..., 0),
    "None, 0": (None, 0),
    "0, None, -2:": (0, None, slice(-2, None)),
    "[0, 2]": [0, 2],
    "[0, 2], [1, 3]": ([0, 2], [1, 3]),
    ":, [3, 0, 0]": (slice(None), [3, 0, 0]),
    "tensor": torch.tensor([[0, 1], [2, 0]]),
    "mask": base > 8,
    "row mask": torch.tensor([True, False, True]),
    "tensor(1)": torch.tensor(1),
}
for name, index in indices.items():
    x = base.clone().requires_grad_()
    y = x[index]
    (y * torch.arange(1.0, y.numel() + 1).reshape(y.shape)).sum().backward()
    print(name, tuple(y.shape), y.grad_fn.name(), y.tolist())
    print("   ", x.grad.tolist())
