"""Tensors of random numbers: `rand`, `randn`, `randint`, `randperm`, `normal` and their like.

Mirrors https://docs.pytorch.org/docs/stable/torch.html#random-sampling
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.compat import dtypes
from minigrad.ops.argument_parser import accepts
from minigrad.ops.creation.factories import FORMAT, OPTIONS, OUT, allocated, allocated_like, leaf_of, makes
from minigrad.ops.operands import variant
from minigrad.ops.random_inplace import Refill, demand_uniform_bounds, integer_bounds, normal_like
from minigrad.random import Generator, along_memory, integers, permutation, uniform
from minigrad.tensor import Tensor

DRAWN = "torch.Generator? generator"


def drawn(first: str, options: str) -> tuple[str, str]:
    """torch's two signatures of a call that draws: with a generator, and without."""
    return f"{first}, *, {DRAWN}, {options}", f"{first}, *, {options}"


@makes(*drawn("tuple of ints size", f"{OUT}, {OPTIONS}"))
def rand(size: tuple[int, ...], *, generator: Generator, dtype: dtypes.dtype | None = None) -> np.ndarray:
    """Uniform numbers from [0, 1). NotImplementedError for integers."""
    return uniform_like(allocated(size, dtype or dtypes.default()), generator)


@makes(*drawn("tuple of ints size", f"{OUT}, {OPTIONS}"))
def randn(size: tuple[int, ...], *, generator: Generator, dtype: dtypes.dtype | None = None) -> np.ndarray:
    """Normal numbers with mean 0 and standard deviation 1. NotImplementedError for integers."""
    return normal_like(allocated(size, dtype or dtypes.default()), 0, 1, generator)


@makes(
    *drawn("int high, tuple of ints size", f"{OUT}, {OPTIONS}"),
    *drawn("int low, int high, tuple of ints size", f"{OUT}, {OPTIONS}"),
)
def randint(
    high: int, size: tuple[int, ...], low: int = 0, *, generator: Generator, dtype: dtypes.dtype | None = None
) -> np.ndarray:
    """Integers from `low` (0 if left out) to `high` − 1, int64: `randint(high, size)` or `randint(low, high, size)`.
    RuntimeError for an empty range, or one that the dtype cannot hold.
    """
    first, last = low, high
    array = allocated(size, dtype or dtypes.int64)
    first, last = integer_bounds(dtypes.of_array(array), first, last)
    return integers_like(array, first, last, generator)


@makes(*drawn("int n", f"{OUT}, {OPTIONS}"))
def randperm(n: int, *, generator: Generator, dtype: dtypes.dtype | None = None) -> np.ndarray:
    """The integers 0 … n − 1 in random order, int64. RuntimeError where the dtype has no room for them."""
    dtype, count = dtype or dtypes.int64, n
    if dtype.is_floating_point:
        digits = np.finfo(dtype.numpy).nmant + 1
        if count > 2**digits + 1:
            limit = 2049 if dtype is dtypes.float16 else f"2^{digits}+1"
            raise RuntimeError(f"n cannot be greater than {limit} for {dtype.scalar_type} type.")
    elif dtype.kind == dtypes.INTEGER and count > 0:
        dtypes.number_in(count - 1, dtype)
    array = allocated((count,), dtype)
    if dtype.kind == dtypes.BOOL:
        raise NotImplementedError("\"randperm\" not implemented for 'Bool'")
    array[:] = permutation(count, generator)
    return array


@makes(*drawn("Tensor input", f"{FORMAT}, {OPTIONS}"))
def rand_like(
    input: Tensor, *, generator: Generator, dtype: dtypes.dtype | None = None, memory_format: Any = None
) -> np.ndarray:
    """Uniform numbers from [0, 1), in the shape and dtype of `input`."""
    return uniform_like(allocated_like(input, dtype, memory_format), generator)


@makes(*drawn("Tensor input", f"{FORMAT}, {OPTIONS}"))
def randn_like(
    input: Tensor, *, generator: Generator, dtype: dtypes.dtype | None = None, memory_format: Any = None
) -> np.ndarray:
    """Normal numbers with mean 0 and standard deviation 1, in the shape and dtype of `input`."""
    return normal_like(allocated_like(input, dtype, memory_format), 0, 1, generator)


@makes(
    *drawn("Tensor input, int low, int high", f"{FORMAT}, {OPTIONS}"),
    *drawn("Tensor input, Tensor high", f"{FORMAT}, {OPTIONS}"),
    *drawn("Tensor input, int high", f"{FORMAT}, {OPTIONS}"),
)
def randint_like(
    input: Tensor,
    high: Any,
    low: int = 0,
    *,
    generator: Generator,
    dtype: dtypes.dtype | None = None,
    memory_format: Any = None,
) -> np.ndarray:
    """Integers from `low` (0 if left out) to `high` − 1, in the shape and dtype of `input`."""
    array = allocated_like(input, dtype, memory_format)
    first, last = integer_bounds(dtypes.of_array(array), low, high)
    return integers_like(array, first, last, generator)


def uniform_like(memory: np.ndarray, generator: Generator) -> np.ndarray:
    """Uniform numbers from [0, 1) for an array of this shape, dtype and order in memory."""
    demand_uniform_bounds(dtypes.of_array(memory), 0, 1)
    return along_memory(uniform(memory.size, memory.dtype, 0, 1, generator), memory)


def integers_like(memory: np.ndarray, low: int, high: int, generator: Generator) -> np.ndarray:
    """Integers from low to high − 1 for an array of this shape, dtype and order in memory."""
    return along_memory(integers(memory.size, memory.dtype, low, high, generator), memory)


NormalOfMean = variant("NormalOfMean", Refill, "NormalBackward1")
NormalOfStd = variant("NormalOfStd", Refill, "NormalBackward2")  # The same for a tensor of standard deviations
NormalOfBoth = variant("NormalOfBoth", Refill, "NormalBackward3")  # The same for tensors of both


@accepts(
    f"Tensor mean, Tensor std, *, torch.Generator generator = None, {OUT}",
    f"Tensor mean, float std = 1, *, torch.Generator generator = None, {OUT}",
    f"float mean, Tensor std, *, torch.Generator generator = None, {OUT}",
    f"float mean, float std, tuple of ints size, *, torch.Generator generator = None, {OUT}, {OPTIONS}",
)
def normal(
    mean: Any,
    std: Any = 1,
    size: tuple[int, ...] | None = None,
    *,
    generator: Generator,
    dtype: dtypes.dtype | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """Normal numbers: of the given sizes for two numbers, else one for each entry of the tensors `mean` and `std`.
    RuntimeError for a negative standard deviation. The gradient with respect to `mean` and `std` is zero.
    """
    if size is not None:
        memory = allocated(size, dtype or dtypes.default())
        return leaf_of(normal_like(memory, float(mean), float(std), generator), requires_grad)
    if not isinstance(std, Tensor):
        memory, spread = np.empty(mean.shape, mean.dtype.numpy), float(std)
        return NormalOfMean.apply(
            mean, draw=lambda: in_place(np.add, normal_like(memory, 0, spread, generator), mean._array)
        )
    if not np.all(np.asarray(std._array) >= 0):
        raise RuntimeError("normal expects all elements of std >= 0.0")
    if not isinstance(mean, Tensor):
        mean = Tensor._of(np.array(dtypes.number_in(float(mean), std.dtype), std.dtype.numpy))
        node: type[Refill] = NormalOfStd
        inputs = [std]
    else:
        node, inputs = NormalOfBoth, [mean, std]

    def draw() -> np.ndarray:
        memory = np.empty(np.broadcast_shapes(mean.shape, std.shape), mean.dtype.numpy)
        values = in_place(np.multiply, normal_like(memory, 0, 1, generator), std._array)
        return in_place(np.add, values, mean._array)

    return node.apply(*inputs, draw=draw)


def in_place(operation: Callable, values: np.ndarray, other: Any) -> np.ndarray:
    """What `values.mul_(other)` or `add_` leaves: computed in the common dtype, kept in the dtype of `values`."""
    return operation(*dtypes.promoted([values, np.asarray(other)])).astype(values.dtype)
