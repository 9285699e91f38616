"""Filling a tensor with random numbers: `uniform_`, `normal_`, `bernoulli_`, `random_`.
Mirrors https://docs.pytorch.org/docs/stable/torch.html#in-place-random-sampling
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad import random
from minigrad.compat import dtypes
from minigrad.ops.argument_parser import accepts
from minigrad.ops.operands import variant
from minigrad.random import Generator
from minigrad.runtime import array_ops, inplace
from minigrad.scalar import Function
from minigrad.tensor import Tensor


class Refill(Function, name="UniformBackward0"):
    """New values in place of the old ones, which get no gradient."""

    promotes = False

    @staticmethod
    def forward(ctx: Any, *inputs: Any, draw: Callable[[], np.ndarray]) -> Any:  # type: ignore[override]
        return draw()

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return tuple([array_ops.zeros(ctx.shape, ctx.dtype, grad_output) for _ in ctx.needs_input_grad])


Normal = variant("Normal", Refill)  # The node of `normal_`
Bernoulli = variant("Bernoulli", Refill)  # The node of `bernoulli`, for probabilities
BernoulliOfTensor = variant("BernoulliOfTensor", Refill, "BernoulliBackward1")
BernoulliOfNumber = variant("BernoulliOfNumber", Refill, "BernoulliBackward2")
RandomFromTo = variant("RandomFromTo", Refill, "RandomBackward0")  # The node of `random_(from, to)`
RandomTo = variant("RandomTo", Refill, "RandomBackward1")  # The node of `random_(to)`
RandomOfAll = variant("RandomOfAll", Refill, "RandomBackward2")  # The node of `random_()`

GENERATOR = "torch.Generator generator = None"


def refilled(tensor: Tensor, node: type[Refill], sampler: Callable, *values: Any, inputs: tuple = ()) -> Tensor:
    """The tensor, with its entries replaced by the sampler's."""
    return inplace.change(tensor, node.apply, *inputs, draw=lambda: sampler(tensor._memory(), *values))


@accepts(f"float from = 0, float to = 1, *, {GENERATOR}", method=True)
def uniform_(tensor: Tensor, from_: float, to: float, *, generator: Generator) -> Tensor:
    """Fill a floating tensor with uniform numbers from [from, to). RuntimeError if the bounds do not fit."""
    return refilled(tensor, Refill, random.uniform, float(from_), float(to), generator)


@accepts(f"float mean = 0, float std = 1, *, {GENERATOR}", method=True)
def normal_(tensor: Tensor, mean: float, std: float, *, generator: Generator) -> Tensor:
    """Fill a floating tensor with normal numbers, in place. RuntimeError for std < 0."""
    return refilled(tensor, Normal, random.normal, float(mean), float(std), generator)


@accepts(f"Tensor p, *, {GENERATOR}", f"float p = 0.5, *, {GENERATOR}", method=True)
def bernoulli_(tensor: Tensor, p: Any, *, generator: Generator) -> Tensor:
    """Fill a tensor with ones, with probability p (a number, or a tensor that can be expanded), and zeros."""
    if isinstance(p, Tensor):
        return refilled(tensor, BernoulliOfTensor, random.coins, p, generator, inputs=(p,))
    return refilled(tensor, BernoulliOfNumber, random.coins, float(p), generator)


@accepts(f"*, {GENERATOR}", f"int from, int? to, *, {GENERATOR}", f"int to, *, {GENERATOR}", method=True)
def random_(tensor: Tensor, from_: Any = None, to: Any = None, *, generator: Generator) -> Tensor:
    """Fill a tensor with integers from `from` (or 0) to `to` − 1 (or the largest). RuntimeError if they do not fit."""
    dtype, low, high = tensor.dtype, from_ or 0, random.integer_limits(tensor.dtype)[1] if to is None else to
    if to is not None:
        random.demand_integers(dtype, low, high)
    node = RandomFromTo if from_ is not None else RandomTo if to is not None else RandomOfAll
    short = node is RandomOfAll and dtype not in (dtypes.int64, dtypes.float64)
    return refilled(tensor, node, random.integers, low, high, generator, short)


@accepts(f"Tensor input, *, {GENERATOR}, Tensor out = None")
def bernoulli(input: Tensor, *, generator: Generator) -> Tensor:
    """Ones, each with the probability given by its entry in `input`, and zeros. RuntimeError outside [0, 1]."""
    memory = np.empty(input.shape, input.dtype.numpy)
    return Bernoulli.apply(input, draw=lambda: random.coins(memory, input, generator))


@accepts(f"Tensor input, int num_samples, bool replacement = False, *, {GENERATOR}, Tensor out = None")
def multinomial(input: Tensor, num_samples: int, replacement: bool = False, *, generator: Generator) -> Tensor:
    """`num_samples` places, int64, of a vector of weights, or of each row of a matrix; each as often as its weight
    says, and only once unless with `replacement`. RuntimeError for weights that are none, or too few.
    """
    weights = np.asarray(input._array)
    if weights.dtype.kind != "f":
        raise RuntimeError(f"multinomial only supports floating-point dtypes for input, got: {input.dtype.scalar_type}")
    if num_samples <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    if weights.ndim not in (1, 2):
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if not replacement and num_samples > weights.shape[-1]:
        raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
    return Tensor._of(random.choices(weights, num_samples, replacement, generator))


METHODS = {each.__name__: each for each in (bernoulli, bernoulli_, multinomial, normal_, random_, uniform_)}
for _name, _method in METHODS.items():
    setattr(Tensor, _name, _method)
