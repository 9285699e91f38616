"""Parts of a tensor that share its memory: one entry of an axis, a slice of it, or all.
Mirrors https://docs.pytorch.org/docs/stable/tensor_view.html
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.graph import array_ops
from minigrad.ops.operands import axis_and_size
from minigrad.ops.registry import register
from minigrad.passing import views
from minigrad.scalar import Function
from minigrad.tensor import Shares, Tensor, Value

NOTHING = slice(None)


def selected(part: Tensor, axis: int, index: int, place: int = 0) -> Tensor:
    """The part at `index` of one axis, without that axis. The IndexError names the item by its `place`."""
    shape = part._array.shape
    if not shape and not index:
        how = "Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a 0-dim tensor to a number"
        raise IndexError(f"invalid index of a 0-dim tensor. {how}")
    size = shape[axis] if shape else 0
    if not -size <= index < size:
        raise IndexError(f"index {index} is out of bounds for dimension {place} with size {size}")
    return Select.apply(part, axis=axis, index=index)


def sliced(part: Tensor, axis: int, piece: slice, even_if_all: bool = False) -> Tensor:
    """The part with one axis sliced; the part itself if the slice takes all of it, unless `even_if_all`."""
    if not part.ndim:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    size = part._array.shape[axis]
    start, stop, step = piece.indices(size)
    if step <= 0:
        raise ValueError("step must be greater than zero")
    takes_all = not piece.start and step == 1 and (piece.stop is None or piece.stop >= size)
    if takes_all and not even_if_all:
        return part
    return Slice.apply(part, axis=axis, piece=slice(start, stop, step))


class Cut(views.ViewFunction):
    """A `part` of a that the settings name, on a's memory: it gets the upstream gradient, all other entries 0."""

    part: Callable
    overlaps = False  # whether an entry can be in the part several times
    back: type[Function]  # its backward

    def __init_subclass__(cls, *, back: str = "", **settings: Any) -> None:
        super().__init_subclass__(**settings)
        if back:
            cls.back = type(back.removesuffix("0"), (Uncut,), {"__slots__": (), "cut": cls}, name=back)

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, **settings: object) -> np.ndarray:
        ctx.input_shape, ctx.settings = a.shape, settings
        return ctx.part(a, **settings)

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        return array_ops.call(ctx.back, grad_output, shape=ctx.input_shape, settings=ctx.settings)


class Uncut(Function):
    """Zeros of a shape, with a in the part that a `Cut` takes, or added there: the backward of the Cut."""

    cut: type[Cut]

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, shape: tuple[int, ...], settings: dict) -> np.ndarray:
        ctx.settings, result = settings, np.zeros(shape, a.dtype)
        part = ctx.cut.part(result, **settings)
        if ctx.cut.overlaps:
            np.add.at(part, ..., a)  # type: ignore[arg-type]
        else:
            part[...] = a
        return result

    backward = staticmethod(lambda ctx, grad_output: array_ops.call(ctx.cut, grad_output, **ctx.settings))


class Select(Cut, back="SelectBackwardBackward0"):
    """a[index], along one axis."""

    part = staticmethod(lambda a, axis, index: a[(NOTHING,) * axis + (index, ...)])


class Slice(Cut, back="SliceBackwardBackward0"):
    """a[start:stop:step] along one axis."""

    part = staticmethod(lambda a, axis, piece: a[(NOTHING,) * axis + (piece,)])


class Alias(views.ViewFunction):
    """All of a, as a separate tensor on the same memory."""

    forward = staticmethod(lambda ctx, a: a.view())
    backward = staticmethod(lambda ctx, grad_output: array_ops.seen(grad_output))


@register("select")
def select(input: Tensor, dim: int, index: int) -> Tensor:
    """The slice at `index` of an axis, without that axis."""
    axis, size = axis_and_size(input, dim)
    if not -size <= index < size:
        where = f"for tensor of size {list(input.shape)} at dimension {axis}"
        raise IndexError(f"select(): index {index} out of range {where}")
    return Select.apply(input, axis=axis, index=index)


@register("narrow")
def narrow(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    """`length` entries of an axis from `start` on. IndexError or RuntimeError if there are not that many."""
    axis, size = axis_and_size(input, dim)
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    if not -size <= start <= size:
        raise IndexError(f"start out of range (expected to be in range of [{-size}, {size}], but got {start})")
    first = start + size if start < 0 else start
    if first + length > size:
        raise RuntimeError(f"start ({first}) + length ({length}) exceeds dimension size ({size}).")
    return Slice.apply(input, axis=axis, piece=slice(first, first + length))
