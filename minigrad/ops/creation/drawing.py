"""Tensors of random numbers, such as `rand` and `normal`; and filling one with them, as `uniform_` and `normal_` do.
Mirrors https://docs.pytorch.org/docs/stable/torch.html#random-sampling
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from minigrad import random
from minigrad.compat import dtypes
from minigrad.graph import array_ops
from minigrad.ops.argument_parser import accepts
from minigrad.ops.creation.factories import FORMAT, OPTIONS, OUT, allocated, allocated_like, leaf_of, makes, making
from minigrad.ops.operands import Undifferentiable, demand_one_shape, variant
from minigrad.passing import inplace
from minigrad.random import Generator
from minigrad.scalar import Function
from minigrad.tensor import Shares, Tensor, Value

__all__ = ["bernoulli", "multinomial", "normal", "rand", "rand_like", "randint", "randn", "randn_like", "randperm"]


GENERATOR = "torch.Generator generator = None"
DRAWN = "torch.Generator? generator = None"
SIZED, LIKE = f"*, {DRAWN}, {OUT}, {OPTIONS}", f"*, {DRAWN}, {FORMAT}, {OPTIONS}"


def sampler(name: str, draw: Callable, first: float, second: float, what: str) -> tuple[Callable, Callable]:
    """The function `name`, for sizes, and `name_like`, for the shape and dtype of a tensor."""

    def sized(size: tuple[int, ...], *, generator: Generator, dtype: dtypes.dtype | None = None) -> np.ndarray:
        return draw(allocated(size, dtype or dtypes.default()), first, second, generator)

    def like(
        input: Tensor, *, generator: Generator, dtype: dtypes.dtype | None = None, memory_format: object = None
    ) -> np.ndarray:
        return draw(allocated_like(input, dtype, memory_format), first, second, generator)

    return (
        making(name, f"{what}. NotImplementedError for integers.", sized, f"tuple of ints size, {SIZED}"),
        making(f"{name}_like", f"{what}, in the shape and dtype of `input`.", like, f"Tensor input, {LIKE}"),
    )


rand, rand_like = sampler("rand", random.uniform, 0, 1, "Uniform numbers from [0, 1)")
randn, randn_like = sampler("randn", random.normal, 0, 1, "Normal numbers with mean 0 and standard deviation 1")


@makes(f"int high, tuple of ints size, {SIZED}", f"int low, int high, tuple of ints size, {SIZED}")
def randint(
    high: int, size: tuple, low: int = 0, *, generator: Generator, dtype: dtypes.dtype | None = None
) -> np.ndarray:
    """Integers from `low` (or 0) to `high` − 1, int64. RuntimeError for an empty range, or one beyond the dtype."""
    dtype = dtype or dtypes.int64
    random.demand_integers(dtype, low, high)
    return random.integers(allocated(size, dtype), low, high, generator)


@makes(f"int n, {SIZED}")
def randperm(n: int, *, generator: Generator, dtype: dtypes.dtype | None = None) -> np.ndarray:
    """The integers 0 … n − 1 in random order, int64. RuntimeError if the dtype cannot hold them."""
    dtype = dtype or dtypes.int64
    end = random.integer_limits(dtype)[1]
    if n > end and dtype.is_floating_point:
        raise RuntimeError(f"n cannot be greater than {end} for {dtype.scalar_type} type.")
    if n > 0 and dtype.kind == dtypes.INTEGER:
        dtypes.number_in(n - 1, dtype)
    array = allocated((n,), dtype)
    if dtype.kind == dtypes.BOOL:
        raise NotImplementedError("\"randperm\" not implemented for 'Bool'")
    array[:] = random.permutation(n, generator)
    return array


@accepts(
    f"Tensor mean, Tensor std, *, {GENERATOR}, {OUT}",
    f"Tensor mean, float std = 1, *, {GENERATOR}, {OUT}",
    f"float mean, Tensor std, *, {GENERATOR}, {OUT}",
    f"float mean, float std, tuple of ints size, *, {GENERATOR}, {OUT}, {OPTIONS}",
)
def normal(
    mean: Tensor | float,
    std: Tensor | float = 1,
    size: tuple[int, ...] | None = None,
    *,
    generator: Generator,
    dtype: dtypes.dtype | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """Normal numbers: of the given sizes, or one for each entry of `mean` and `std`. RuntimeError for a std below 0."""
    if size is not None:
        memory = allocated(size, dtype or dtypes.default())
        return leaf_of(random.normal(memory, float(mean), float(std), generator), requires_grad)
    tensors = [item for item in (mean, std) if isinstance(item, Tensor)]
    if tensors[-1] is std and not np.all(np.asarray(std._array) >= 0):
        raise RuntimeError("normal expects all elements of std >= 0.0")
    demand_one_shape(*tensors)
    memory = np.empty(np.broadcast_shapes(*[tensor.shape for tensor in tensors]), tensors[0].dtype.numpy)
    if isinstance(std, Tensor):
        values = in_place(np.multiply, random.normal(memory, 0, 1, generator), std)
    else:
        values = random.normal(memory, 0, float(std), generator)
    node = NormalOfMean if tensors[-1] is not std else NormalOfStd if len(tensors) == 1 else NormalOfBoth
    return node.apply(*tensors, draw=lambda: in_place(np.add, values, mean))


def in_place(operation: Callable, values: np.ndarray, other: Tensor | float) -> np.ndarray:
    """The result of `values.mul_(other)` or `add_`: computed in the common dtype, stored in that of `values`."""
    factor = np.asarray(other._array) if isinstance(other, Tensor) else float(other)
    return operation(*dtypes.promoted([values, factor])).astype(values.dtype)


class Refill(Function, name="UniformBackward0"):
    """New values in place of the old ones, which get no gradient."""

    promotes = False

    @staticmethod
    def forward(ctx: Function, *inputs: np.ndarray, draw: Callable[[], np.ndarray]) -> np.ndarray:
        return draw()

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        return tuple([array_ops.zeros(ctx.shape, ctx.dtype, grad_output) for _ in ctx.needs_input_grad])


Normal = variant("Normal", Refill)  # The node of `normal_`
NormalOfMean = variant("NormalOfMean", Refill, "NormalBackward1")  # Those of `normal`, for tensors
NormalOfStd = variant("NormalOfStd", Refill, "NormalBackward2")
NormalOfBoth = variant("NormalOfBoth", Refill, "NormalBackward3")
Bernoulli = variant("Bernoulli", Refill)  # The node of `bernoulli`, for probabilities
BernoulliOfTensor = variant("BernoulliOfTensor", Refill, "BernoulliBackward1")
BernoulliOfNumber = variant("BernoulliOfNumber", Refill, "BernoulliBackward2")
RandomFromTo = variant("RandomFromTo", Refill, "RandomBackward0")  # The node of `random_(from, to)`
RandomTo = variant("RandomTo", Refill, "RandomBackward1")  # The node of `random_(to)`
RandomOfAll = variant("RandomOfAll", Refill, "RandomBackward2")  # The node of `random_()`


def refilled(tensor: Tensor, node: type[Refill], sampler: Callable, *values: object, inputs: tuple = ()) -> Tensor:
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
def bernoulli_(tensor: Tensor, p: Tensor | float, *, generator: Generator) -> Tensor:
    """Fill a tensor with ones, with probability p (a number, or a tensor that can be expanded), and zeros."""
    if isinstance(p, Tensor):
        return refilled(tensor, BernoulliOfTensor, random.coins, p, generator, inputs=(p,))
    return refilled(tensor, BernoulliOfNumber, random.coins, float(p), generator)


@accepts(f"*, {GENERATOR}", f"int from, int? to, *, {GENERATOR}", f"int to, *, {GENERATOR}", method=True)
def random_(tensor: Tensor, from_: int | None = None, to: int | None = None, *, generator: Generator) -> Tensor:
    """Fill a tensor with integers from `from` (or 0) to `to` − 1 (or the largest). RuntimeError if they do not fit."""
    dtype, low, high = tensor.dtype, from_ or 0, random.integer_limits(tensor.dtype)[1] if to is None else to
    if to is not None:
        random.demand_integers(dtype, low, high)
    node = RandomFromTo if from_ is not None else RandomTo if to is not None else RandomOfAll
    short = node is RandomOfAll and dtype not in (dtypes.int64, dtypes.float64)
    return refilled(tensor, node, random.integers, low, high, generator, short)


@accepts(f"Tensor input, *, {GENERATOR}, Tensor out = None", f"Tensor input, float p, *, {GENERATOR}")
def bernoulli(input: Tensor, p: float | None = None, *, generator: Generator) -> Tensor:
    """Ones, each with the probability given by its entry in `input`, or by `p`, and zeros. RuntimeError outside [0, 1].
    With `p` torch makes a node that has no derivative.
    """
    memory = np.empty(input.shape, input.dtype.numpy)
    if p is not None:
        draw = lambda _: random.coins(memory, float(p), generator)  # noqa: E731
        return Undifferentiable.apply(input, operation="bernoulli", value=draw)
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


METHODS = {item.__name__: item for item in (bernoulli, bernoulli_, multinomial, normal_, random_, uniform_)}
for _name, _method in METHODS.items():
    setattr(Tensor, _name, _method)
