"""view() of a transposed matrix is refused; reshape() copies then."""

import torch

x = torch.arange(6.0).view(2, 3)
for f in [lambda: x.T.view(6), lambda: x.T.reshape(6), lambda: x.view(4), lambda: x.view(-1, 4), lambda: x.reshape(7)]:
    try:
        print(f())
    except RuntimeError as e:
        print(e)
print(x.T.is_contiguous(), x.T.contiguous().is_contiguous(), x.stride(), x.T.stride())
v, r = x.view(3, 2), x.T.reshape(6)
x[0, 0] = 100.0
print(v, r)
