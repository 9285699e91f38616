"""Diagonals, triangles, and windows that slide along an axis.

Mirrors https://docs.pytorch.org/docs/stable/generated/torch.diagonal.html
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.compat import dtypes
from minigrad.ops import memory
from minigrad.ops.operands import variant
from minigrad.ops.registry import define_all
from minigrad.runtime import array_ops, inplace, views
from minigrad.scalar import Function
from minigrad.tensor import Tensor


def on_diagonal(a: np.ndarray, offset: int, axes: tuple[int, int]) -> np.ndarray:
    """The entries of a diagonal, as the last axis of a view that can be written."""
    entries = a.diagonal(offset, *axes)
    if a.flags.writeable:
        entries.flags.writeable = True  # numpy hands it out read-only
    return entries


class Diagonal(views.ViewFunction):
    """The entries with equal places on two axes: they get the upstream gradient, all others 0."""

    __slots__ = ("input_shape", "offset", "axes")

    @staticmethod
    def forward(ctx: Any, a: Any, offset: int, axes: tuple[int, int]) -> Any:
        ctx.input_shape, ctx.offset, ctx.axes = a.shape, offset, axes
        return on_diagonal(a, offset, axes)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return array_ops.call(OnDiagonal, grad_output, shape=ctx.input_shape, offset=ctx.offset, axes=ctx.axes)


class OnDiagonal(Function, name="DiagonalBackwardBackward0"):
    """Zeros of a shape, with a on a diagonal: what `Diagonal` does to a gradient."""

    __slots__ = ("offset", "axes")

    @staticmethod
    def forward(ctx: Any, a: Any, shape: tuple[int, ...], offset: int, axes: tuple[int, int]) -> Any:
        ctx.offset, ctx.axes = offset, axes
        result = np.zeros(shape, a.dtype)
        on_diagonal(result, offset, axes)[...] = a
        return result

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return array_ops.call(Diagonal, grad_output, offset=ctx.offset, axes=ctx.axes)


class DiagonalCopy(Function, name="DiagonalBackward0_copy"):
    """`Diagonal` in memory of its own."""

    __slots__ = ("input_shape", "offset", "axes")

    @staticmethod
    def forward(ctx: Any, a: Any, offset: int, axes: tuple[int, int]) -> Any:
        return np.array(Diagonal.forward(ctx, a, offset, axes))

    backward = staticmethod(Diagonal.backward)


DiagEmbed = variant("DiagEmbed", OnDiagonal, "DiagEmbedBackward0")


def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """The entries whose places on two axes differ by `offset`, as the last axis of a view."""
    axes = dtypes.axis_of(input.ndim, dim1), dtypes.axis_of(input.ndim, dim2)
    if axes[0] == axes[1]:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return Diagonal.apply(input, offset=offset, axes=axes)


def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """Of a matrix its diagonal, in a copy; of a vector the matrix that has it there, and zeros elsewhere."""
    if input.ndim == 1:
        return diag_embed(input, diagonal)
    if input.ndim != 2:
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {input.ndim}D")
    return DiagonalCopy.apply(input, offset=diagonal, axes=(0, 1))


def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """The last axis on a diagonal of square matrices along the new axes dim1 and dim2, zeros elsewhere."""
    ndim = input.ndim + 1
    axes = dtypes.axis_of(ndim, dim1), dtypes.axis_of(ndim, dim2)
    if axes[0] == axes[1]:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    size = input._array.shape[-1] + abs(offset)
    others = iter(input._array.shape[:-1])
    shape = tuple([size if axis in axes else next(others) for axis in range(ndim)])
    return DiagEmbed.apply(input, shape=shape, offset=offset, axes=axes)


def fill_diagonal_(input: Tensor, fill_value: Any, wrap: bool = False) -> Tensor:
    """Write one number on the diagonal of a matrix, in place."""
    if input.ndim < 2:
        raise RuntimeError("dimensions must larger than 1")
    if wrap or input.ndim > 2:
        raise NotImplementedError("minigrad's fill_diagonal_() takes matrices, and does not wrap")
    inplace.demand_changeable(input)
    memory.fill_(diagonal(input), fill_value)
    return input


class Tril(Function):
    """The entries on and below a diagonal, zeros above: so is the upstream gradient."""

    __slots__ = ("diagonal",)

    @staticmethod
    def forward(ctx: Any, a: Any, diagonal: int) -> Any:
        ctx.diagonal = diagonal
        return np.tril(a, diagonal)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return array_ops.call(Tril, grad_output, diagonal=ctx.diagonal)


class Triu(Function):
    """The entries on and above a diagonal, zeros below: so is the upstream gradient."""

    __slots__ = ("diagonal",)

    @staticmethod
    def forward(ctx: Any, a: Any, diagonal: int) -> Any:
        ctx.diagonal = diagonal
        return np.triu(a, diagonal)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return array_ops.call(Triu, grad_output, diagonal=ctx.diagonal)


def tril(input: Tensor, diagonal: int = 0) -> Tensor:
    """The lower triangle of each matrix, with zeros above the diagonal."""
    _demand_matrix("tril", input)
    return Tril.apply(input, diagonal=diagonal)


def triu(input: Tensor, diagonal: int = 0) -> Tensor:
    """The upper triangle of each matrix, with zeros below the diagonal."""
    _demand_matrix("triu", input)
    return Triu.apply(input, diagonal=diagonal)


def _demand_matrix(name: str, input: Tensor) -> None:
    if input.ndim < 2:
        raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")


class Unfold(views.ViewFunction):
    """All windows of one size along an axis, as a new last axis: an entry gets the sum over its windows."""

    __slots__ = ("input_shape", "axis", "size", "step")

    @staticmethod
    def forward(ctx: Any, a: Any, axis: int, size: int, step: int) -> Any:
        ctx.input_shape, ctx.axis, ctx.size, ctx.step = a.shape, axis, size, step
        windows = np.lib.stride_tricks.sliding_window_view(a, size, axis, writeable=a.flags.writeable)
        return windows[(slice(None),) * axis + (slice(None, None, step),)]

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        settings = {"axis": ctx.axis, "size": ctx.size, "step": ctx.step}
        return array_ops.call(Fold, grad_output, shape=ctx.input_shape, **settings)


class Fold(Function, name="UnfoldBackwardBackward0"):
    """Zeros of a shape, with every window of a added in its place: what `Unfold` does to a gradient."""

    __slots__ = ("axis", "size", "step")

    @staticmethod
    def forward(ctx: Any, a: Any, shape: tuple[int, ...], axis: int, size: int, step: int) -> Any:
        ctx.axis, ctx.size, ctx.step = axis, size, step
        result = np.zeros(shape, a.dtype)
        for place in range(size):  # the windows overlap, but their entries number `place` do not
            piece = slice(place, place + step * a.shape[axis], step)
            result[(slice(None),) * axis + (piece,)] += a[..., place]
        return result

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return array_ops.call(Unfold, grad_output, axis=ctx.axis, size=ctx.size, step=ctx.step)


def unfold(input: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """The windows of `size` entries that begin at every `step`-th entry of an axis, as a new last axis of a view."""
    axis = dtypes.axis_of(input.ndim, dimension)
    length = input._array.shape[axis] if input.ndim else 1
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0")
    if size > length:
        raise RuntimeError(f"maximum size for tensor at dimension {axis} is {length} but size is {size}")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    if not input.ndim:
        raise NotImplementedError("minigrad's unfold() takes tensors with axes")
    return Unfold.apply(input, axis=axis, size=size, step=step)


define_all(globals(), "diagonal diag diag_embed")
define_all(globals(), "tril triu", in_place=True)
define_all(globals(), "fill_diagonal_ unfold", function=False)
