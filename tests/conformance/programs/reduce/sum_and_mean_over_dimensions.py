"""sum and mean over dimensions, with and without keepdim: shapes, nodes and gradients."""

import torch

calls = {
    "sum()": lambda t: t.sum(),
    "sum(0)": lambda t: t.sum(0),
    "sum(1, keepdim)": lambda t: t.sum(1, keepdim=True),
    "sum((0, 1))": lambda t: t.sum((0, 1)),
    "mean()": lambda t: t.mean(),
    "mean(dim=-1)": lambda t: t.mean(dim=-1),
    "mean(0, True)": lambda t: t.mean(0, True),
    "sum(axis=1)": lambda t: t.sum(axis=1),
}
for name, f in calls.items():
    x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
    y = f(x)
    upstream = torch.arange(1.0, y.numel() + 1).reshape(y.shape)
    y.backward(upstream)
    print(name, y, x.grad.tolist())
