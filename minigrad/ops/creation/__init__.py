"""Tensors from nothing, from Python data, and from the random generator. Shared by all: `dtype` is a torch dtype or
`int`, `float`, `bool`; `device` is None or "cpu"; `requires_grad` makes a leaf that asks for a gradient. RuntimeError
for a negative size, and for integers or bools that require grad; TypeError, in torch's words, for arguments of the
wrong type.
Mirrors https://docs.pytorch.org/docs/stable/torch.html#creation-ops and
https://docs.pytorch.org/docs/stable/torch.html#random-sampling
"""

from minigrad.ops.creation.drawing import *
from minigrad.ops.creation.factories import *

__all__ = ["as_tensor", "empty", "empty_like", "from_numpy", "full", "full_like", "ones", "ones_like", "tensor"]
__all__ += ["arange", "bernoulli", "eye", "linspace", "logspace", "multinomial", "normal", "rand", "rand_like"]
__all__ += ["randint", "randn", "randn_like", "randperm", "zeros", "zeros_like"]
