"""Attributes that are no parameters, and inputs of the wrong shape."""

import torch
from torch import nn

layer = nn.Linear(2, 1)
calls = [
    lambda: setattr(layer, "weight", torch.ones(1, 2)),
    lambda: layer.register_parameter("w", torch.ones(2, requires_grad=True) * 2),
    lambda: layer(torch.ones(3)),
    lambda: layer(torch.ones(2, 3)),
    lambda: layer(torch.ones(2, dtype=torch.float64)),
    lambda: layer.missing,
    lambda: nn.Module()(1),
]
for call in calls:
    try:
        call()
    except (TypeError, RuntimeError, AttributeError, NotImplementedError) as e:
        print(type(e).__name__, e)
layer.bias = None
print(list(layer.state_dict()))
