"""Random numbers in the place of what a tensor held: `uniform_`, `normal_`, `bernoulli_`, `random_`.

Mirrors https://docs.pytorch.org/docs/stable/torch.html#in-place-random-sampling
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad import leaf
from minigrad.compat import dtypes
from minigrad.compat.messages import warn
from minigrad.ops.argument_parser import accepts
from minigrad.ops.operands import variant
from minigrad.random import Generator, along_memory, coins, integers, normal, uniform
from minigrad.runtime import array_ops, inplace
from minigrad.scalar import Function
from minigrad.tensor import Tensor


class Refill(Function, name="UniformBackward0"):
    """New values in the place of the old ones: no gradient reaches what was there."""

    __slots__ = ()

    promotes = False

    @staticmethod
    def forward(ctx: Any, *inputs: Any, draw: Callable[[], np.ndarray]) -> Any:  # type: ignore[override]
        return draw()

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return tuple([array_ops.zeros(ctx.shape, ctx.dtype, grad_output) for _ in ctx.needs_input_grad])


Normal = variant("Normal", Refill, "NormalBackward0")  # What `normal_` leaves behind
Bernoulli = variant("Bernoulli", Refill, "BernoulliBackward0")  # What `bernoulli` makes of probabilities
BernoulliOfTensor = variant("BernoulliOfTensor", Refill, "BernoulliBackward1")
BernoulliOfNumber = variant("BernoulliOfNumber", Refill, "BernoulliBackward2")
RandomFromTo = variant("RandomFromTo", Refill, "RandomBackward0")  # What `random_(from, to)` leaves behind
RandomTo = variant("RandomTo", Refill, "RandomBackward1")  # What `random_(to)` leaves behind
RandomOfAll = variant("RandomOfAll", Refill, "RandomBackward2")  # What `random_()` leaves behind


GENERATOR = "torch.Generator generator = None"


@accepts(f"float from = 0, float to = 1, *, {GENERATOR}", method=True)
def uniform_(tensor: Tensor, from_: float, to: float, *, generator: Generator) -> Tensor:
    """Fill a floating tensor with uniform numbers from [from, to), in place. RuntimeError where the bounds do not fit,
    NotImplementedError for integers.
    """
    low, high = float(from_), float(to)

    def draw() -> np.ndarray:
        demand_uniform_bounds(tensor.dtype, low, high)
        return along_memory(uniform(tensor.numel(), tensor.dtype.numpy, low, high, generator), tensor._memory())

    return inplace.change(tensor, Refill.apply, draw=draw)


@accepts(f"float mean = 0, float std = 1, *, {GENERATOR}", method=True)
def normal_(tensor: Tensor, mean: float, std: float, *, generator: Generator) -> Tensor:
    """Fill a floating tensor with normal numbers, in place. RuntimeError for std < 0."""
    mean, std = float(mean), float(std)
    return inplace.change(tensor, Normal.apply, draw=lambda: normal_like(tensor._memory(), mean, std, generator))


@accepts(f"Tensor p, *, {GENERATOR}", f"float p = 0.5, *, {GENERATOR}", method=True)
def bernoulli_(tensor: Tensor, p: Any, *, generator: Generator) -> Tensor:
    """Fill a tensor with ones, with probability p (a number, or a tensor that can be expanded), and zeros, in place.
    RuntimeError for a probability outside [0, 1].
    """
    memory = tensor._memory()
    if isinstance(p, Tensor):
        return inplace.change(tensor, BernoulliOfTensor.apply, p, draw=lambda: coins_like(memory, p, generator))
    p = float(p)
    return inplace.change(tensor, BernoulliOfNumber.apply, draw=lambda: coins_like(memory, p, generator))


@accepts(
    f"*, {GENERATOR}",
    f"int from, int? to, *, {GENERATOR}",
    f"int to, *, {GENERATOR}",
    method=True,
)
def random_(tensor: Tensor, from_: Any = None, to: Any = None, *, generator: Generator) -> Tensor:
    """Fill a tensor with integers in place: from `from` (0 if left out) to `to` − 1 (or to the largest of the dtype).
    RuntimeError for an empty range, or one that the dtype cannot hold.
    """
    dtype, memory = tensor.dtype, tensor._memory()
    if from_ is None and to is None:
        node: type[Refill] = RandomOfAll
        low, high = 0, beyond(dtype)
    else:
        node = RandomTo if from_ is None else RandomFromTo
        low, high = 0 if from_ is None else from_, beyond(dtype) if to is None else to
        if to is not None:
            low, high = integer_bounds(dtype, low, high)
    short = node is RandomOfAll and dtype not in (dtypes.int64, dtypes.float64)
    return inplace.change(
        tensor,
        node.apply,
        draw=lambda: along_memory(integers(memory.size, memory.dtype, low, high, generator, short), memory),
    )


@accepts(f"Tensor input, *, {GENERATOR}, Tensor out = None", f"Tensor input, float p, *, {GENERATOR}")
def bernoulli(input: Tensor, p: Any = None, *, generator: Generator) -> Tensor:
    """Ones, each with the probability that stands at its place in `input` (or with p), and zeros; the dtype of `input`.
    RuntimeError for a probability outside [0, 1].
    """
    if p is not None:
        if input.requires_grad and leaf.recording:
            raise NotImplementedError("minigrad does not record bernoulli(input, p): pass input.detach()")
        return Tensor._of(coins_like(np.empty_like(input._array), float(p), generator))
    memory = np.empty(input.shape, input.dtype.numpy)
    return Bernoulli.apply(input, draw=lambda: coins_like(memory, input, generator))


METHODS = {
    "bernoulli": bernoulli,
    "bernoulli_": bernoulli_,
    "normal_": normal_,
    "random_": random_,
    "uniform_": uniform_,
}
for _name, _method in METHODS.items():
    setattr(Tensor, _name, _method)


def normal_like(memory: np.ndarray, mean: float, std: float, generator: Generator) -> np.ndarray:
    """Normal numbers for an array of this shape, dtype and order in memory."""
    if not std >= 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    if memory.size:
        demand_floating("normal_kernel_cpu", dtypes.of_array(memory))
    values = normal(memory.size, memory.dtype, mean, std, generator, memory.flags.c_contiguous)
    return along_memory(values, memory)


def coins_like(memory: np.ndarray, p: Any, generator: Generator) -> np.ndarray:
    """Ones with probability p, and zeros, for an array of this shape, dtype and order in memory."""
    if not isinstance(p, Tensor):
        if not 0 <= p <= 1:
            raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
        return along_memory(coins(np.full(memory.size, p), generator), memory).astype(memory.dtype)
    p = p.detach().expand(memory.shape)
    demand_floating("bernoulli_tensor_cpu_p_", p.dtype)
    values = p._array
    if not np.all((values >= 0) & (values <= 1)):
        raise RuntimeError(
            "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message be improved?  "
            "If so, please report an enhancement request to PyTorch.)"
        )
    places = along_memory(np.arange(memory.size), memory)
    in_order = np.empty(memory.size, values.dtype)
    in_order[places] = values
    return coins(in_order, generator)[places].astype(memory.dtype)


def demand_floating(kernel: str, dtype: dtypes.dtype) -> None:
    """NotImplementedError, in torch's words, for integers and bools."""
    if not dtype.is_floating_point:
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{dtype.scalar_type}'")


def demand_uniform_bounds(dtype: dtypes.dtype, low: float, high: float) -> None:
    """RuntimeError, in torch's words, unless low ≤ high, and both and their difference are finite in the dtype."""
    demand_floating("check_uniform_bounds", dtype)
    largest = float(np.finfo(dtype.numpy).max)
    for name, bound in (("from", low), ("to", high)):
        if not -largest <= bound <= largest:
            raise RuntimeError(f"{name} is out of bounds for {dtype.cpp_name}")
    if low > high:
        raise RuntimeError(f"uniform_ expects to return a [from, to) range, but found from={low:g} > to={high:g}")
    if high - low > largest:
        raise RuntimeError(
            f"uniform_ expects to-from <= std::numeric_limits<{dtype.scalar_type}>::max(), but found to={high:g} "
            f"and from={low:g} which result in to-from to exceed the limit"
        )


def integer_bounds(dtype: dtypes.dtype, low: int, high: int) -> tuple[int, int]:
    """The range to draw from, where no number becomes `high` by rounding. RuntimeError if the dtype has no room."""
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    if not dtype.is_floating_point:
        least = 0 if dtype.kind == dtypes.BOOL else np.iinfo(dtype.numpy).min
        for name, bound in (("from", low), ("to - 1", high - 1)):
            if not least <= bound < beyond(dtype):
                raise RuntimeError(f"{name} is out of bounds for {dtype.cpp_name}")
        return low, high
    largest, digits = float(np.finfo(dtype.numpy).max), np.finfo(dtype.numpy).nmant + 1
    for name, bound in (("from", low), ("to - 1", high - 1)):
        if abs(bound) > largest:
            raise RuntimeError(f"{name} is out of bounds for {dtype.cpp_name}")
    low, high = _without_rounding(low, high, dtype, digits)
    if low >= high:
        raise RuntimeError(
            "random_ expects 'from' casted to dtype to be less than 'to' casted to dtype, but got "
            f"from={low} >= to={high}"
        )
    for name, bound in (("from", low), ("to - 1", high - 1)):
        if abs(bound) > 2**digits:
            warn(
                f"{name} is out of bounds [-(2^{digits}), 2^{digits}]. Due to precision limitations "
                f"{dtype.cpp_name} can support discrete uniform distribution only within this range. This warning "
                "will become an error in version 1.7 release, please fix the code in advance"
            )
    return low, high


def _without_rounding(low: int, high: int, dtype: dtypes.dtype, digits: int) -> tuple[int, int]:
    """The range, narrowed to the next numbers of the dtype where rounding would lead out of it."""
    above, below = int(dtype.numpy.type(low + 1)), int(dtype.numpy.type(high - 1))
    if above < low:
        low = above + 2 ** (abs(low + 1).bit_length() - digits)
    if below >= high:
        high = below - 2 ** (abs(high - 1).bit_length() - digits)
    return low, high


def beyond(dtype: dtypes.dtype) -> int:
    """One more than the largest integer that `random_` draws: for floating dtypes, the last without gaps below it."""
    if dtype.is_floating_point:
        return 2 ** (np.finfo(dtype.numpy).nmant + 1) + 1
    return 2 if dtype.kind == dtypes.BOOL else int(np.iinfo(dtype.numpy).max) + 1
