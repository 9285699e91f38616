"""In an f-string a 0-d tensor is its number, any other one its text."""

import torch

x = torch.tensor(1.5, requires_grad=True)
v = torch.tensor([1.5, 2.5])
print(f"{x} {x * 2} {x.item():.3f} {x.detach():.2f} {torch.tensor(3):>4} {torch.tensor(True)}")
print(f"{v} {x!r} {v[0]} {v.sum():.1e}")
print(str(v[0]), repr(v[0]), format(v[1], ".1f"))
try:
    print(f"{v:.2f}")
except TypeError as e:
    print(e)
print(f"{torch.nn.Parameter(torch.tensor(1.0))}")
