"""max() and amax() share the gradient between ties; max(dim) gives it to one."""

import torch

calls = {
    "max()": lambda t: t.max(),
    "min()": lambda t: t.min(),
    "max(1)": lambda t: t.max(1).values,
    "min(0)": lambda t: t.min(0)[0],
    "amax(1)": lambda t: t.amax(1),
    "amin(0)": lambda t: t.amin(0),
    "amax()": lambda t: t.amax(),
}
for name, f in calls.items():
    x = torch.tensor([[3.0, 1.0, 3.0], [1.0, 3.0, 2.0]], requires_grad=True)
    y = f(x)
    y.backward(torch.arange(1.0, y.numel() + 1).reshape(y.shape))
    print(name, y)
    print(x.grad)
