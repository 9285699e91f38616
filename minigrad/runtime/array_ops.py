"""Functions that take arrays and Tensors alike.

An ordinary backward pass runs on plain arrays, which is fast; under `create_graph=True` the same lines run on
Tensors, and are recorded. Operators and methods (`*`, `@`, `.reshape`, `.sum(axis=…)`) work on both by themselves.
These are the rest. What they need of `ops`, they ask the Tensor at hand for.

Mirrors https://docs.pytorch.org/docs/stable/generated/torch.autograd.grad.html (`create_graph`)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minigrad.compat import dtypes, messages
from minigrad.tensor import Tensor


def is_tensor(*values: Any) -> bool:
    """True if one of the values is a Tensor."""
    return any(isinstance(value, Tensor) for value in values)


def raw(value: Any) -> Any:
    """The array of a Tensor; anything else as it is. For what has no derivative: masks, signs, indices."""
    return value._array if isinstance(value, Tensor) else value


def like(array: Any, value: Any) -> Any:
    """A constant `array` as what `value` is: a Tensor beside a Tensor."""
    return Tensor._of(np.asarray(array)) if isinstance(value, Tensor) else array


def expand(value: Any, shape: Sequence[int]) -> Any:
    """`value` copied along the axes that it lacks or has once, up to `shape`; no memory is used."""
    if isinstance(value, Tensor):
        return value.expand(shape)
    if value.ndim:
        return np.broadcast_to(value, shape)
    return np.ndarray(shape, value.dtype, np.asarray(value), 0, (0,) * len(shape))  # the same, and five times faster


def spread(value: Any, shape: Sequence[int], parts: int) -> Any:
    """`value` copied up to `shape` and divided by the number of parts, in memory of its own."""
    if isinstance(value, Tensor) or value.ndim:
        whole = expand(value, shape)
        return whole._portion(parts) if isinstance(whole, Tensor) else whole / parts
    result = np.empty(shape, value.dtype)
    result.fill(value / parts)
    return result


def swap(value: Any) -> Any:
    """The last two axes exchanged: the transpose of a matrix, or of each in a stack."""
    return value.mT if isinstance(value, Tensor) else value.swapaxes(-1, -2)


def where(mask: Any, a: Any, b: Any) -> Any:
    """a where the (constant) mask holds, else b."""
    if not is_tensor(a, b):
        return np.where(raw(mask), a, b)
    return like(raw(mask), a if is_tensor(a) else b)._where(a, b)


def masked(value: Any, mask: Any, filling: Any = 0) -> Any:
    """`value`, with `filling` where the (constant) mask holds."""
    if isinstance(value, Tensor):
        return value.masked_fill(like(raw(mask), value), filling)
    return np.where(raw(mask), filling, value)


def zeros(shape: Sequence[int], dtype: np.dtype, value: Any) -> Any:
    """Zeros, as what `value` is."""
    return like(np.zeros(shape, dtype), value)


def exactly(function: Callable) -> Callable:
    """numpy's function of one array or of two, taken in float64 and rounded to their dtype; to float32 for integers.

    torch's float32 functions are exact to nearly the last bit, numpy's are faster: this decides between 2. and 2.0000.
    """

    def rounded(value: Any, *others: Any) -> Any:
        common = np.result_type(value, *others) if others else value.dtype
        if common == np.float64:
            return function(value, *others)
        return function(value.astype(np.float64), *others).astype(common if common.kind == "f" else np.float32)

    return rounded


_log, _exp, _sin, _cos, _sinh, _cosh = [exactly(each) for each in (np.log, np.exp, np.sin, np.cos, np.sinh, np.cosh)]


def log(value: Any) -> Any:
    """The natural logarithm, entry by entry."""
    return value.log() if isinstance(value, Tensor) else _log(value)


def exp(value: Any) -> Any:
    """e to the power of each entry."""
    return value.exp() if isinstance(value, Tensor) else _exp(value)


def sqrt(value: Any) -> Any:
    """The square root of each entry."""
    return value.sqrt() if isinstance(value, Tensor) else np.sqrt(value)


def sin(value: Any) -> Any:
    """The sine of each entry."""
    return value.sin() if isinstance(value, Tensor) else _sin(value)


def cos(value: Any) -> Any:
    """The cosine of each entry."""
    return value.cos() if isinstance(value, Tensor) else _cos(value)


def sinh(value: Any) -> Any:
    """(e^a - e^-a)/2 of each entry."""
    return value.sinh() if isinstance(value, Tensor) else _sinh(value)


def cosh(value: Any) -> Any:
    """(e^a + e^-a)/2 of each entry."""
    return value.cosh() if isinstance(value, Tensor) else _cosh(value)


def sign(value: Any) -> Any:
    """-1, 0 or 1 for each entry, in its dtype; 0 for nan."""
    if isinstance(value, Tensor):
        return value.sign()
    return value.copy() if value.dtype == bool else np.subtract(value > 0, value < 0, dtype=value.dtype)


def power(a: Any, n: Any) -> Any:
    """a ** n for a number n, by the short cuts torch takes (products, a square root, quotients): same last bit."""
    if isinstance(a, Tensor):  # under create_graph: one node, which stays even where the derivative is constant
        return a**n
    if isinstance(n, bool):  # numpy would make small integers of bools
        return a.copy() if n else np.ones_like(a)
    if n == 2:
        return a * a
    if n == 1:
        return a * 1
    if n == 3:
        return a * a * a
    if n == 0.5:
        return np.sqrt(a)
    if a.dtype.kind == "f" and n in (-0.5, -1, -2):
        return 1 / (np.sqrt(a) if n == -0.5 else a if n == -1 else a * a)
    return a**n


def power_slope(a: Any, n: Any) -> Any:
    """n · a^(n-1), the derivative of a power."""
    return a + a if n == 2 and not isinstance(a, Tensor) else n * power(a, n - 1)


def flip(value: Any, axis: int) -> Any:
    """The entries in reverse order along one axis."""
    return value.flip(axis) if isinstance(value, Tensor) else np.flip(value, axis)


def demand_inside(indices: Any, axis: int, shape: Sequence[int]) -> None:
    """RuntimeError, in torch's words, for an index that an axis of this shape has not."""
    size, indices = shape[axis] if len(shape) else 1, np.asarray(indices)
    outside = indices[(indices < 0) | (indices >= size)]
    if outside.size:
        raise RuntimeError(messages.OUTSIDE.format(outside[0], axis, size))


def put(values: Any, indices: np.ndarray, axis: int, shape: Sequence[int]) -> Any:
    """Zeros of `shape` with `values` put at `indices` along `axis`: the reverse of `np.take_along_axis`.

    RuntimeError for an index that is not there: the program may have changed the indices that an operation gave it.
    """
    demand_inside(indices, axis, shape)
    result = zeros(shape, raw(values).dtype, values)
    if isinstance(values, Tensor):
        return result.scatter(axis, Tensor._of(indices), values)
    np.put_along_axis(result, indices, values, axis)
    return result


def copy(value: Any) -> Any:
    """The same entries in memory of their own, row by row."""
    if not isinstance(value, Tensor):
        return np.array(value, order="C")
    return value._in_rows()


def axes_in_memory(array: np.ndarray) -> tuple[int, ...] | None:
    """The axes in the order in which the entries lie in memory; None for the usual one, row by row."""
    if array.flags.c_contiguous:
        return None
    return tuple(sorted(range(array.ndim), key=lambda axis: -array.strides[axis]))


def laid_out(value: Any, axes: tuple[int, ...] | None) -> Any:
    """A copy whose entries lie in memory in this order of axes, so that the same steps cut the same part."""
    if axes is None:
        return copy(value)
    back = tuple(axes.index(axis) for axis in range(len(axes)))
    if isinstance(value, Tensor):
        return copy(value.permute(axes)).permute(back)
    return np.array(value.transpose(axes), order="C").transpose(back)


def product(a: Any, b: Any) -> Any:
    """a @ b of two matrices. An outer product is only multiplied, as in torch: numpy adds 0, which turns -0 to 0."""
    if len(b) == 1 and len(a) > 1 and b.shape[1] > 1:
        return a * b
    return a.dot(b) if type(a) is np.ndarray else a @ b  # of two matrices the same, and quicker


def call(operation: Any, *values: Any, **settings: Any) -> Any:
    """What a Function makes of the values: recorded for Tensors, its `forward` alone for arrays."""
    for value in values:
        if isinstance(value, Tensor):
            return operation.apply(*values, **settings)
    return operation.forward(object.__new__(operation.node), *values, **settings)


def cast(value: Any, dtype: np.dtype) -> Any:
    """`value` in another dtype; the same object where it has that dtype already."""
    if not isinstance(value, Tensor):
        return np.asarray(value, dtype)
    return value if value._array.dtype == dtype else value.to(dtypes.OF_NUMPY[np.dtype(dtype)])


def stack(values: Sequence[Any], axis: int) -> Any:
    """The values side by side along a new axis."""
    tensor = next((each for each in values if isinstance(each, Tensor)), None)
    return np.stack(values, axis) if tensor is None else tensor._stack(values, axis)


def cat(values: Sequence[Any], axis: int) -> Any:
    """The values one after the other along an axis."""
    tensor = next((each for each in values if isinstance(each, Tensor)), None)
    return np.concatenate(values, axis) if tensor is None else tensor._cat(values, axis)
