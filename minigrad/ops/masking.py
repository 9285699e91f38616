"""Entries picked from anywhere in a tensor: by number, by a mask, or because they are not 0.

Mirrors https://docs.pytorch.org/docs/stable/generated/torch.take.html and
https://docs.pytorch.org/docs/stable/generated/torch.masked_select.html
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.compat import checks, dtypes
from minigrad.ops import shaping
from minigrad.ops.registry import define_all
from minigrad.runtime import array_ops
from minigrad.scalar import Function
from minigrad.tensor import Tensor


class Take(Function):
    """Entries by their number when a is read row by row: an entry gets the sum of what was taken from it."""

    __slots__ = ()
    saves = ("self", "index")

    @staticmethod
    def forward(ctx: Any, a: Any, index: Any) -> Any:
        ctx.save_for_backward(a, index)
        return np.asarray(a).reshape(-1)[array_ops.raw(index)]

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, index = ctx.saved_tensors
        return array_ops.call(AddTaken, grad_output, shape=a.shape, index=index)


class AddTaken(Function, name="PutBackward0"):
    """Zeros of a shape, with a added at the numbered entries: what `Take` does to a gradient."""

    __slots__ = ("index",)

    @staticmethod
    def forward(ctx: Any, a: Any, shape: tuple[int, ...], index: Any) -> Any:
        ctx.index = index
        result = np.zeros(shape, a.dtype)
        np.add.at(result.reshape(-1), array_ops.raw(index), a)
        return result

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return array_ops.call(Take, grad_output, index=ctx.index)


class MaskedSelect(Function):
    """The entries where the mask holds, as a vector: they get the upstream gradient, all others 0."""

    __slots__ = ()
    saves = ("self", "mask")

    @staticmethod
    def forward(ctx: Any, a: Any, mask: Any) -> Any:
        ctx.save_for_backward(a, mask)
        a, mask = np.broadcast_arrays(a, array_ops.raw(mask))
        return a[mask]

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, mask = ctx.saved_tensors
        shape = np.broadcast_shapes(a.shape, mask.shape)
        return array_ops.call(Unmask, grad_output, shape=shape, mask=mask)


class Unmask(Function, name="MaskedScatterBackward0"):
    """Zeros of a shape, with the entries of a vector where the mask holds: what `MaskedSelect` does to a gradient."""

    __slots__ = ("mask",)

    @staticmethod
    def forward(ctx: Any, a: Any, shape: tuple[int, ...], mask: Any) -> Any:
        ctx.mask = mask
        result = np.zeros(shape, a.dtype)
        result[np.broadcast_to(array_ops.raw(mask), shape)] = a
        return result

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return array_ops.call(MaskedSelect, grad_output, mask=ctx.mask)


def take(input: Tensor, index: Tensor) -> Tensor:
    """The entries with these numbers (int64) when the tensor is read row by row, in the shape of `index`."""
    if index.dtype is not dtypes.int64:
        raise RuntimeError(f"take(): Expected a long tensor for index, but got {index.dtype.scalar_type}")
    count, numbers = input.numel(), np.asarray(index._array)
    if not count and numbers.size:
        raise IndexError("take(): tried to take from an empty tensor")
    outside = numbers[(numbers < -count) | (numbers >= count)]
    if outside.size:
        raise IndexError(f"out of range: tried to access index {outside[0]} on a tensor of {count} elements.")
    return Take.apply(input, index=index)


def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """The entries where `mask` (bool, any shape that meets the input's) holds, as a vector."""
    if mask.dtype is not dtypes.bool_:
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    checks.demand_broadcast([mask._array, input._array])
    return MaskedSelect.apply(input, mask=mask)


def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    """Where the entries are not 0: one row of int64 per entry, or with `as_tuple` one vector per axis."""
    if as_tuple:
        return shaping.unbind(argwhere(input if input.ndim else shaping.reshape(input, (1,))), 1)
    return argwhere(input)


def argwhere(input: Tensor) -> Tensor:
    """Where the entries are not 0: one row of int64 per entry."""
    return Tensor._of(np.argwhere(np.asarray(input._array)).astype(np.int64))


define_all(globals(), "take masked_select nonzero argwhere")
