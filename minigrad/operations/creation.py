"""Tensors from nothing: `tensor`, `zeros`, `ones`, `full` and their `_like` forms.

Mirrors https://docs.pytorch.org/docs/stable/torch.html#creation-ops
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.tensor import Tensor


def tensor(data: Any, *, dtype: dtypes.dtype | None = None, requires_grad: bool = False) -> Tensor:
    """A leaf with a copy of `data`: a number, nested lists of numbers, a numpy array.

    dtype is inferred: bool, int64 for ints, float32 for floats, an array's own. ValueError for ragged lists,
    TypeError or RuntimeError for what is not a number, RuntimeError for integers that require grad.
    """
    if isinstance(data, Tensor):
        warnings.warn(
            "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
            "sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor).",
            UserWarning,
            stacklevel=2,
        )
        data = data._array
    array = data if isinstance(data, (np.ndarray, np.generic)) else from_lists(data)
    if dtype is not None:
        array = np.asarray(array).astype(dtype.numpy)
    dtypes.of_array(np.asarray(array))
    return leaf_of(np.array(array), requires_grad)


def from_lists(data: Any) -> np.ndarray:
    """An array from a number or nested sequences of numbers, in the dtype torch would infer."""
    shape, level = [], data
    while isinstance(level, (list, tuple)):
        shape.append(len(level))
        if not level:
            break
        level = level[0]
    entries = list(flattened(data, shape, 0))
    if not entries:
        return np.zeros(shape, np.float32)
    kinds = {dtypes.of_number(each).kind for each in entries}
    inferred = (dtypes.bool_, dtypes.int64, dtypes.float32)[max(kinds)]
    try:
        return np.array(entries, inferred.numpy).reshape(shape)
    except OverflowError:
        raise ValueError("Overflow when unpacking long long") from None


def flattened(data: Any, shape: list[int], axis: int) -> Any:
    """The numbers of nested sequences, row by row. ValueError where a row has another length."""
    if isinstance(data, (Tensor, np.ndarray)) and data.ndim == 0:
        data = data.item()
    if axis < len(shape):
        if not isinstance(data, (list, tuple)):
            raise TypeError(f"not a sequence at dim {axis}: {data!r}")
        if len(data) != shape[axis]:
            raise ValueError(f"expected sequence of length {shape[axis]} at dim {axis} (got {len(data)})")
        for each in data:
            yield from flattened(each, shape, axis + 1)
    elif isinstance(data, str):
        raise TypeError("new(): invalid data type 'str'")
    elif isinstance(data, (bool, int, float, np.generic)):
        yield data
    else:
        raise RuntimeError(f"Could not infer dtype of {type(data).__name__}")


def leaf_of(array: np.ndarray, requires_grad: bool) -> Tensor:
    """A leaf around `array`. RuntimeError for integers or bools that require grad."""
    if requires_grad and array.dtype.kind != "f":
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    return Tensor._of(array, requires_grad)


def _filled(value: Any) -> Callable[..., Tensor]:
    def create(*size: Any, dtype: dtypes.dtype | None = None, requires_grad: bool = False) -> Tensor:
        return full(_shape(size), value, dtype=dtype or dtypes.float32, requires_grad=requires_grad)

    return create


def _shape(size: tuple) -> tuple[int, ...]:
    return tuple(size[0]) if len(size) == 1 and isinstance(size[0], (tuple, list)) else size


zeros = _filled(0)
zeros.__name__, zeros.__doc__ = "zeros", "Zeros of the given sizes, float32 unless `dtype` says otherwise."
ones = _filled(1)
ones.__name__, ones.__doc__ = "ones", "Ones of the given sizes, float32 unless `dtype` says otherwise."


def full(size: Any, fill_value: Any, *, dtype: dtypes.dtype | None = None, requires_grad: bool = False) -> Tensor:
    """`fill_value` everywhere; its own kind of number unless `dtype` says otherwise."""
    kind = dtype or dtypes.of_number(fill_value)
    return leaf_of(np.full(_shape((size,)), fill_value, kind.numpy), requires_grad)


def zeros_like(input: Tensor, *, dtype: dtypes.dtype | None = None, requires_grad: bool = False) -> Tensor:
    """Zeros of the shape and dtype of `input`."""
    return full(input.shape, 0, dtype=dtype or input.dtype, requires_grad=requires_grad)


def ones_like(input: Tensor, *, dtype: dtypes.dtype | None = None, requires_grad: bool = False) -> Tensor:
    """Ones of the shape and dtype of `input`."""
    return full(input.shape, 1, dtype=dtype or input.dtype, requires_grad=requires_grad)


def from_numpy(array: np.ndarray) -> Tensor:
    """A tensor on the memory of `array`. TypeError for a dtype that torch does not have."""
    array = np.asarray(array)
    dtypes.of_array(array)
    return Tensor._of(array)
