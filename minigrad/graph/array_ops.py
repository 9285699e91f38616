"""Functions that accept both arrays and Tensors, for `backward`.

An ordinary pass runs on plain arrays, which is fast; under `create_graph=True` the same lines run on Tensors and are
recorded. Operators and methods (`*`, `@`, `.reshape`, `.sum(axis=…)`) already work on both. These are the rest.

Mirrors https://docs.pytorch.org/docs/stable/generated/torch.autograd.grad.html (`create_graph`)
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from minigrad.arithmetic import special
from minigrad.arithmetic.blocks import MANY, chosen, in_blocks
from minigrad.arithmetic.strides import repeated
from minigrad.compat import dtypes, inference, messages
from minigrad.graph import owning
from minigrad.tensor import Tensor, Value

if TYPE_CHECKING:
    from minigrad.graph.nodes import Operation


def constant(array: np.ndarray) -> Tensor:
    """The same as `Tensor._of(array)`, in half the time."""
    self = object.__new__(Tensor)
    self._array = array
    self._requires_grad = False
    self._made_by = self._view = self._grad = self._hooks = None
    self._counter = inference.counter
    return self


@functools.lru_cache(maxsize=8)
def ones(count: int, dtype: np.dtype) -> np.ndarray:
    """A vector of ones; do not write to it."""
    return np.ones(count, dtype)


def total_of_rows(a: Value) -> Value:
    """The sum over the first axis; of the rows of a matrix as a product, which is faster."""
    if type(a) is np.ndarray and a.ndim == 2:
        return ones(len(a), a.dtype).dot(a)
    return a.sum(axis=(0,), keepdims=True).reshape(a.shape[1:])


def is_tensor(*values: object) -> bool:
    """True if one of the values is a Tensor."""
    return any(isinstance(value, Tensor) for value in values)


def raw(value: Value) -> np.ndarray:
    """The array of a Tensor; anything else unchanged. For values without a derivative: masks, signs, indices."""
    return value._array if isinstance(value, Tensor) else value


def like(array: Value, value: object) -> Value:
    """A constant `array`, as a Tensor if `value` is one."""
    return Tensor._of(np.asarray(array)) if isinstance(value, Tensor) else array


def expand(value: Value, shape: Sequence[int]) -> Value:
    """`value` broadcast to `shape`, along axes that it lacks or has with size 1; uses no memory."""
    if isinstance(value, Tensor):
        return value.expand(shape)
    if value.ndim:
        return repeated(value, shape)
    return np.ndarray(shape, value.dtype, np.asarray(value), 0, (0,) * len(shape))  # the same, but five times faster


def spread(value: Value, shape: Sequence[int], parts: int) -> Value:
    """`value` broadcast to `shape` and divided by the number of parts, in new memory."""
    if isinstance(value, Tensor) or value.ndim:
        whole = expand(value, shape)
        return whole._portion(parts) if isinstance(whole, Tensor) else whole / parts
    result = np.empty(shape, value.dtype)
    result.fill(value / parts)
    return result


def swap(value: Any) -> Any:
    """The last two axes swapped: the transpose of a matrix, or of each in a stack."""
    return value.mT if isinstance(value, Tensor) else value.swapaxes(-1, -2)


def where(mask: Value, a: Value | float, b: Value | float) -> Value:
    """a where the (constant) mask holds, else b."""
    if not is_tensor(a, b):
        return chosen(raw(mask), a, b)
    return constant(np.asarray(raw(mask)))._where(a, b)


def masked(value: Value, mask: Value, filling: Value | float = 0) -> Value:
    """`value`, with `filling` where the (constant) mask holds."""
    if isinstance(value, Tensor):
        return value.masked_fill(like(raw(mask), value), filling)
    return chosen(raw(mask), filling, value)


def zeros(shape: Sequence[int], dtype: np.dtype, value: Value) -> Value:
    """Zeros, as a Tensor if `value` is one."""
    return like(np.zeros(shape, dtype), value)


SOME = 256  # entries


def exactly(function: Callable, narrow: Callable | None = None) -> Callable:
    """numpy's function of one or two arrays, computed in float64 and rounded to their dtype; to float32 for integers.
    torch's float32 functions are exact to nearly the last bit, numpy's are faster: this decides between 2. and 2.0000.
    `narrow` is one for more than a few entries that is precise enough for all dtypes but float64.
    """
    for_narrow = narrow or function

    def rounded(value: np.ndarray, *others: np.ndarray) -> np.ndarray:
        """The function of arrays, computed in float64 and rounded; many entries block by block."""
        if value.size >= MANY:
            return in_blocks(at_once, value, *others)
        return at_once(value, *others)

    def at_once(value: np.ndarray, *others: np.ndarray) -> np.ndarray:
        common = np.result_type(value, *others) if others else value.dtype
        if common == np.float64:
            return function(value, *others)
        of_narrow = for_narrow if value.size > SOME else function
        return of_narrow(value.astype(np.float64), *others).astype(common if common.kind == "f" else np.float32)

    return rounded


def in_float32(function: Callable) -> Callable:
    """A function of arrays or Tensors of one dtype; of float16 computed in float32, and rounded once, as in torch."""

    def rounded(*values: Any) -> Value:
        if raw(values[0]).dtype != np.float16:
            return function(*values)
        if isinstance(values[0], Tensor):
            return function(*[value.float() for value in values]).half()
        with np.errstate(all="ignore"):
            return function(*[value.astype(np.float32) for value in values]).astype(np.float16)

    return rounded


def of_both(name: str, function: Callable) -> Callable:
    """The Tensor's method of this name for a Tensor, numpy's `function` for an array."""

    def call(value: Value, *settings: object) -> Value:
        """The method for a Tensor, numpy's function for an array."""
        return getattr(value, name)(*settings) if isinstance(value, Tensor) else function(value, *settings)

    return call


log, exp = of_both("log", exactly(np.log)), of_both("exp", exactly(np.exp))
sin_of, cos_of = exactly(np.sin, special.sine), exactly(np.cos, special.cosine)
sin, cos = of_both("sin", sin_of), of_both("cos", cos_of)
sinh, cosh = of_both("sinh", exactly(np.sinh)), of_both("cosh", exactly(np.cosh))
sqrt, flip = of_both("sqrt", np.sqrt), of_both("flip", np.flip)


def sign(value: Value) -> Value:
    """-1, 0 or 1 for each entry, in its dtype; 0 for nan."""
    if isinstance(value, Tensor):
        return value.sign()
    return value.copy() if value.dtype == bool else np.subtract(value > 0, value < 0, dtype=value.dtype)


_cube = in_float32(lambda a: a * a * a)


def power(a: Value, n: float) -> Value:
    """a ** n for a number n, with torch's shortcuts (products, a square root, quotients): same last bit."""
    if isinstance(a, Tensor):  # under create_graph: one node, which stays even where the derivative is constant
        return a**n
    if isinstance(n, bool):  # numpy would turn bools into small integers
        return a.copy() if n else np.ones_like(a)
    if n in (1, 2, 3):
        return a * 1 if n == 1 else a * a if n == 2 else _cube(a)
    if n == 0.5:
        return np.sqrt(a)
    if a.dtype.kind == "f" and n in (-0.5, -1, -2):
        return 1 / (np.sqrt(a) if n == -0.5 else a if n == -1 else a * a)
    return a**n


def power_slope(a: Value, n: float) -> Value:
    """n · a^(n-1), the derivative of a power."""
    return a + a if n == 2 and not isinstance(a, Tensor) else n * power(a, n - 1)


@functools.lru_cache(maxsize=64)
def steps(shape: tuple[int, ...]) -> tuple[np.ndarray, ...]:
    """0, 1, … along each axis, in its own direction; do not write to them."""
    return tuple(
        [
            np.arange(size).reshape([-1 if place == axis else 1 for place in range(len(shape))])
            for axis, size in enumerate(shape)
        ]
    )


def places(indices: np.ndarray, axis: int) -> tuple[np.ndarray, ...]:
    """Where indices along an axis point: their own position, except on the axis, where they decide."""
    own = steps(indices.shape)
    return (*own[:axis], indices, *own[axis + 1 :])


def demand_inside(indices: np.ndarray, axis: int, shape: Sequence[int]) -> None:
    """RuntimeError, in torch's words, for an index outside an axis of this shape."""
    size, indices = shape[axis] if len(shape) else 1, np.asarray(indices)
    if indices.dtype == np.int64 and indices.size and indices.view(np.uint64).max() < size:
        return  # negative ones would be the highest
    outside = indices[(indices < 0) | (indices >= size)]
    if outside.size:
        raise RuntimeError(messages.OUTSIDE.format(outside[0], axis, size))


def put(values: Value, indices: np.ndarray, axis: int, shape: Sequence[int]) -> Value:
    """Zeros of `shape` with `values` at `indices` along `axis`: the reverse of `np.take_along_axis`. RuntimeError for
    an index out of range: a program may change the indices that it was given.
    """
    demand_inside(indices, axis, shape)
    result = np.zeros(shape, raw(values).dtype)
    if isinstance(values, Tensor):
        return constant(result).scatter(axis, constant(indices), values)
    result[places(indices, axis)] = values
    return result


def copy(value: Value) -> Value:
    """The same entries in new memory, row by row."""
    return value._in_rows() if isinstance(value, Tensor) else np.array(value, order="C")


def seen(value: Value) -> Value:
    """The same memory as another array, as a view gives its gradient on; a Tensor or a number as it is."""
    return value.view() if type(value) is np.ndarray else value


def recorded(grad: Tensor, like: np.ndarray) -> Tensor:
    """A gradient with a graph in memory that the leaf `like` keeps."""
    return constant(owning.room(like, grad._array)).copy_(grad)


def axes_in_memory(array: np.ndarray) -> tuple[int, ...] | None:
    """The axes in the order of the entries in memory; None for the usual order, row by row."""
    if array.flags.c_contiguous:
        return None
    return tuple(sorted(range(array.ndim), key=lambda axis: -array.strides[axis]))


def laid_out(value: Value, axes: tuple[int, ...] | None) -> Value:
    """A copy whose entries lie in memory in this order of axes, so that the same steps cut the same part."""
    if axes is None:
        return copy(value)
    back = tuple(axes.index(axis) for axis in range(len(axes)))
    if isinstance(value, Tensor):
        return value.permute(axes)._in_rows().permute(back)
    return np.array(value.transpose(axes), order="C").transpose(back)


def product(a: Value, b: Value) -> Value:
    """a @ b of two matrices. An outer product is only multiplied, as in torch: numpy adds 0, which turns -0 to 0."""
    if len(b) == 1 and len(a) > 1 and b.shape[1] > 1:
        return a * b
    return a.dot(b) if type(a) is np.ndarray else a @ b  # of two matrices the same, and quicker


def call(operation: type[Operation], *values: object, **settings: object) -> Value:
    """What a Function makes of the values: recorded for Tensors, its `forward` alone for arrays."""
    for value in values:
        if isinstance(value, Tensor):
            return operation.apply(*values, **settings)
    return operation.forward(object.__new__(operation.node), *values, **settings)


def cast(value: Value, dtype: np.dtype) -> Value:
    """`value` in another dtype; the same object where it has that dtype already."""
    if not isinstance(value, Tensor):
        return np.asarray(value, dtype)
    return value if value._array.dtype == dtype else value.to(dtypes.OF_NUMPY[np.dtype(dtype)])


def stack(values: Sequence[Value], axis: int) -> Any:
    """The values side by side along a new axis."""
    return Tensor._stack(values, axis) if is_tensor(*values) else np.stack(values, axis)


def cat(values: Sequence[Value], axis: int) -> Value:
    """The values one after the other along an axis."""
    return Tensor._cat(values, axis) if is_tensor(*values) else np.concatenate(values, axis)
