"""What stands behind the entries: dtype, requires_grad or grad_fn, if need be on a line of its own."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
d = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
print(x, x * 2, d, d * 2)
print(torch.tensor([1, -20, 300]), torch.tensor([True, False]), torch.tensor(True), torch.tensor(7))
print(torch.tensor([[True], [False]]), torch.tensor([0.5], dtype=torch.float64))
print(torch.nn.Parameter(x * 3), torch.nn.Parameter(torch.tensor(1.0), requires_grad=False))
wide = torch.arange(10.0, dtype=torch.float64, requires_grad=True) / 3
print(wide)
print(torch.cat([x, x, x, x, x]) / 3)
print([x, 1], (x,), {"x": x[0]})
