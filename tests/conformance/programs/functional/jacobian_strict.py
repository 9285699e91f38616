"""An output that does not depend on the input: zeros, or an error if strict."""

import torch
from torch.autograd.functional import jacobian

x = torch.tensor([1.0, 2.0])
for f in [lambda t: torch.ones(3), lambda t: t.detach() * 2]:
    print(jacobian(f, x))
    try:
        jacobian(f, x, strict=True)
    except RuntimeError as e:
        print(e)
u = torch.tensor([1.0])
print(jacobian(lambda s, t: s * 2, (x, u)))
try:
    jacobian(lambda s, t: s * 2, (x, u), strict=True)
except RuntimeError as e:
    print(e)
