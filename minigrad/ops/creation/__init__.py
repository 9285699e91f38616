"""Tensors from nothing, from Python data, and from the random generator.

Shared by all: `dtype` is a torch dtype or `int`, `float`, `bool`; `device` is None or "cpu"; `requires_grad` makes a
leaf that asks for a gradient. RuntimeError for a negative size, and for integers or bools that require grad;
TypeError, in torch's words, for arguments of the wrong type.

Mirrors https://docs.pytorch.org/docs/stable/torch.html#creation-ops and
https://docs.pytorch.org/docs/stable/torch.html#random-sampling
"""

from minigrad.ops.creation.drawing import normal, rand, rand_like, randint, randint_like, randn, randn_like, randperm
from minigrad.ops.creation.factories import (
    as_tensor,
    empty,
    empty_like,
    from_numpy,
    full,
    full_like,
    ones,
    ones_like,
    tensor,
    zeros,
    zeros_like,
)
from minigrad.ops.creation.ranges import arange, eye, linspace
from minigrad.ops.random_inplace import bernoulli

__all__ = [
    "arange",
    "as_tensor",
    "bernoulli",
    "empty",
    "empty_like",
    "eye",
    "from_numpy",
    "full",
    "full_like",
    "linspace",
    "normal",
    "ones",
    "ones_like",
    "rand",
    "rand_like",
    "randint",
    "randint_like",
    "randn",
    "randn_like",
    "randperm",
    "tensor",
    "zeros",
    "zeros_like",
]
