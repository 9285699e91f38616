"""What is neither a tensor nor a tuple of tensors is refused."""

import torch
from torch.autograd.functional import hessian, jacobian

x = torch.tensor([1.0, 2.0])
calls = [
    lambda: jacobian(lambda t: t * 2, [1.0, 2.0]),
    lambda: jacobian(lambda t: 3.0, x),
    lambda: jacobian(lambda t: [t, t], x),
    lambda: jacobian(lambda t: t * 2, (x, 1.0)),
    lambda: hessian(lambda t: t * 2, x),
    lambda: hessian(lambda t: (t.sum(), t.sum()), x),
]
for call in calls:
    try:
        print(call())
    except (TypeError, RuntimeError) as e:
        print(type(e).__name__, e)
