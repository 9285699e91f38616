"""Tensors of random numbers: `rand`, `randn`, `randint`, `randperm`, `normal` and the like.
Mirrors https://docs.pytorch.org/docs/stable/torch.html#random-sampling
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad import random
from minigrad.compat import dtypes
from minigrad.ops.argument_parser import accepts
from minigrad.ops.creation.factories import FORMAT, OPTIONS, OUT, allocated, allocated_like, leaf_of, makes, making
from minigrad.ops.operands import variant
from minigrad.ops.random_inplace import GENERATOR, Refill
from minigrad.random import Generator
from minigrad.tensor import Tensor

__all__ = ["normal", "rand", "rand_like", "randint", "randn", "randn_like", "randperm"]


def drawn(first: str, options: str) -> tuple[str, str]:
    """torch's two signatures of a call that draws: with a generator, and without."""
    return f"{first}, *, torch.Generator? generator, {options}", f"{first}, *, {options}"


SIZED, LIKE = f"{OUT}, {OPTIONS}", f"{FORMAT}, {OPTIONS}"


def sampler(name: str, draw: Callable, first: float, second: float, what: str) -> tuple[Callable, Callable]:
    """The function `name`, for sizes, and `name_like`, for the shape and dtype of a tensor."""

    def sized(size: tuple[int, ...], *, generator: Generator, dtype: dtypes.dtype | None = None) -> np.ndarray:
        return draw(allocated(size, dtype or dtypes.default()), first, second, generator)

    def like(input: Tensor, *, generator: Generator, dtype: Any = None, memory_format: Any = None) -> np.ndarray:
        return draw(allocated_like(input, dtype, memory_format), first, second, generator)

    return (
        making(name, f"{what}. NotImplementedError for integers.", sized, *drawn("tuple of ints size", SIZED)),
        making(f"{name}_like", f"{what}, in the shape and dtype of `input`.", like, *drawn("Tensor input", LIKE)),
    )


rand, rand_like = sampler("rand", random.uniform, 0, 1, "Uniform numbers from [0, 1)")
randn, randn_like = sampler("randn", random.normal, 0, 1, "Normal numbers with mean 0 and standard deviation 1")


@makes(*drawn("int high, tuple of ints size", SIZED), *drawn("int low, int high, tuple of ints size", SIZED))
def randint(high: int, size: tuple, low: int = 0, *, generator: Generator, dtype: Any = None) -> np.ndarray:
    """Integers from `low` (or 0) to `high` − 1, int64. RuntimeError for an empty range, or one beyond the dtype."""
    dtype = dtype or dtypes.int64
    random.demand_integers(dtype, low, high)
    return random.integers(allocated(size, dtype), low, high, generator)


@makes(*drawn("int n", SIZED))
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


NormalOfMean = variant("NormalOfMean", Refill, "NormalBackward1")
NormalOfStd = variant("NormalOfStd", Refill, "NormalBackward2")
NormalOfBoth = variant("NormalOfBoth", Refill, "NormalBackward3")


@accepts(
    f"Tensor mean, Tensor std, *, {GENERATOR}, {OUT}",
    f"Tensor mean, float std = 1, *, {GENERATOR}, {OUT}",
    f"float mean, Tensor std, *, {GENERATOR}, {OUT}",
    f"float mean, float std, tuple of ints size, *, {GENERATOR}, {OUT}, {OPTIONS}",
)
def normal(
    mean: Any, std: Any = 1, size: Any = None, *, generator: Generator, dtype: Any = None, requires_grad: bool = False
) -> Tensor:
    """Normal numbers: of the given sizes, or one for each entry of `mean` and `std`, whose gradient is zero."""
    if size is not None:
        memory = allocated(size, dtype or dtypes.default())
        return leaf_of(random.normal(memory, float(mean), float(std), generator), requires_grad)
    tensors = [each for each in (mean, std) if isinstance(each, Tensor)]
    node = NormalOfBoth if len(tensors) == 2 else NormalOfMean if tensors[0] is mean else NormalOfStd
    if tensors[-1] is std and not np.all(np.asarray(std._array) >= 0):
        raise RuntimeError("normal expects all elements of std >= 0.0")

    def draw() -> np.ndarray:
        memory = np.empty(np.broadcast_shapes(*[each.shape for each in tensors]), tensors[0].dtype.numpy)
        if not isinstance(std, Tensor):
            return in_place(np.add, random.normal(memory, 0, float(std), generator), mean)
        return in_place(np.add, in_place(np.multiply, random.normal(memory, 0, 1, generator), std), mean)

    return node.apply(*tensors, draw=draw)


def in_place(operation: Callable, values: np.ndarray, other: Any) -> np.ndarray:
    """The result of `values.mul_(other)` or `add_`: computed in the common dtype, stored in that of `values`."""
    other = np.asarray(other._array) if isinstance(other, Tensor) else float(other)
    return operation(*dtypes.promoted([values, other])).astype(values.dtype)
