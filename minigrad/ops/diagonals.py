"""Diagonals, triangles, and windows that slide along an axis.
Mirrors https://docs.pytorch.org/docs/stable/generated/torch.diagonal.html
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from minigrad.arithmetic import strides
from minigrad.compat import dtypes
from minigrad.graph import array_ops
from minigrad.ops import memory, slicing
from minigrad.ops.operands import variant
from minigrad.ops.registry import register
from minigrad.passing import inplace
from minigrad.scalar import Function
from minigrad.tensor import Shares, Tensor, Value


def on_diagonal(a: np.ndarray, offset: int, axes: tuple[int, int]) -> np.ndarray:
    """The entries of a diagonal, as the last axis of a writable view."""
    entries = a.diagonal(offset, *axes)
    if a.flags.writeable:
        entries.flags.writeable = True  # numpy returns it read-only
    return entries


class Diagonal(slicing.Cut, back="DiagonalBackwardBackward0"):
    """The entries with equal positions on two axes."""

    part = staticmethod(on_diagonal)


class DiagonalCopy(Function, name="DiagonalBackward0_copy"):
    """`Diagonal`, as a copy."""

    part, back = staticmethod(on_diagonal), Diagonal.back

    forward = staticmethod(lambda ctx, a, offset, axes: np.array(Diagonal.forward(ctx, a, offset=offset, axes=axes)))

    backward = staticmethod(Diagonal.backward)


DiagEmbed = variant("DiagEmbed", Diagonal.back, "DiagEmbedBackward0")


@register("diagonal")
def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """The entries whose places on two axes differ by `offset`, as the last axis of a view."""
    return Diagonal.apply(input, offset=offset, axes=_two_axes(input.ndim, dim1, dim2))


@register("diag")
def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """For a matrix a copy of its diagonal; for a vector the matrix with it on the diagonal, and zeros elsewhere."""
    if input.ndim == 1:
        return diag_embed(input, diagonal)
    if input.ndim != 2:
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {input.ndim}D")
    return DiagonalCopy.apply(input, offset=diagonal, axes=(0, 1))


@register("diag_embed")
def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """The last axis on a diagonal of square matrices along the new axes dim1 and dim2, zeros elsewhere."""
    axes = _two_axes(input.ndim + 1, dim1, dim2)
    size = input._array.shape[-1] + abs(offset)
    others = iter(input._array.shape[:-1])
    shape = tuple([size if axis in axes else next(others) for axis in range(input.ndim + 1)])
    return DiagEmbed.apply(input, shape=shape, settings={"offset": offset, "axes": axes})


def _two_axes(ndim: int, dim1: int, dim2: int) -> tuple[int, int]:
    axes = dtypes.axis_of(ndim, dim1), dtypes.axis_of(ndim, dim2)
    if axes[0] == axes[1]:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return axes


@register("fill_diagonal_", function=False)
def fill_diagonal_(input: Tensor, fill_value: object, wrap: bool = False) -> Tensor:
    """Write one number on the diagonal of a matrix, in place."""
    if input.ndim < 2:
        raise RuntimeError("dimensions must larger than 1")
    if wrap or input.ndim > 2:
        raise NotImplementedError("minigrad's fill_diagonal_() takes matrices, and does not wrap")
    inplace.demand_changeable(input)
    memory.fill_(diagonal(input), fill_value)
    return input


class Tril(Function):
    """The entries on and below a diagonal, zeros above; the same goes for the upstream gradient."""

    cut: Callable = staticmethod(np.tril)

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, diagonal: int) -> np.ndarray:
        ctx.diagonal = diagonal
        return ctx.cut(a, diagonal)

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        return array_ops.call(Tril if ctx.cut is np.tril else Triu, grad_output, diagonal=ctx.diagonal)


class Triu(Tril):
    """The entries on and above a diagonal, zeros below; the same goes for the upstream gradient."""

    cut = staticmethod(np.triu)


def _triangle(name: str, node: type[Function], side: str) -> Callable:
    def triangle(input: Tensor, diagonal: int = 0) -> Tensor:
        if input.ndim < 2:
            raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")
        return node.apply(input, diagonal=diagonal)

    triangle.__doc__ = f"""The entries of each matrix on and {side} a diagonal, zeros elsewhere."""
    return triangle


tril = register("tril", _triangle("tril", Tril, "below"), in_place=True)
triu = register("triu", _triangle("triu", Triu, "above"), in_place=True)


class Unfold(slicing.Cut, back="UnfoldBackwardBackward0"):
    """All windows of one size along an axis, as a new last axis: an entry gets the sum over its windows."""

    overlaps = True

    @staticmethod
    def part(a: np.ndarray, axis: int, size: int, step: int) -> np.ndarray:
        count, stride = (a.shape[axis] - size) // step + 1, a.strides[axis]
        shape = (*a.shape[:axis], count, *a.shape[axis + 1 :], size)
        return strides.strided(a, shape, (*a.strides[:axis], stride * step, *a.strides[axis + 1 :], stride))


@register("unfold", function=False)
def unfold(input: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """The windows of `size` entries that begin at every `step`-th entry of an axis, as a new last axis of a view."""
    axis = dtypes.axis_of(input.ndim, dimension)
    length = input._array.shape[axis]
    if size > length:
        raise RuntimeError(f"maximum size for tensor at dimension {axis} is {length} but size is {size}")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    return Unfold.apply(input, axis=axis, size=size, step=step)
