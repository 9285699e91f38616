"""A tensor repeated, or turned round: each gives a copy.

Mirrors https://docs.pytorch.org/docs/stable/generated/torch.Tensor.repeat.html
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.compat import dtypes
from minigrad.ops import argument_parser, gathering, shaping
from minigrad.ops.argument_parser import Ints
from minigrad.ops.registry import define, define_all
from minigrad.runtime import array_ops
from minigrad.scalar import Function
from minigrad.tensor import Tensor


class Repeat(Function):
    """a laid out several times along each axis: the upstream gradients of the copies add up."""

    __slots__ = ("input_shape", "counts")

    @staticmethod
    def forward(ctx: Any, a: Any, counts: tuple[int, ...]) -> Any:
        ctx.input_shape, ctx.counts = a.shape, counts
        return np.tile(a, counts) if counts else np.array(a)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        if not ctx.counts:
            return grad_output
        shape = (1,) * (len(ctx.counts) - len(ctx.input_shape)) + ctx.input_shape
        apart = [size for pair in zip(ctx.counts, shape, strict=True) for size in pair]
        return grad_output.reshape(tuple(apart)).sum(axis=tuple(range(0, len(apart), 2))).reshape(ctx.input_shape)


def repeat(input: Tensor, repeats: Ints) -> Tensor:
    """The tensor laid out so many times along each axis; more counts than axes add axes in front."""
    if len(repeats) < input.ndim:
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
    shape = (1,) * (len(repeats) - input.ndim) + input._array.shape
    sizes = [count * size for count, size in zip(repeats, shape, strict=True)]
    for size in sizes:
        if size < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {size}: {sizes}")
    return Repeat.apply(input, counts=tuple(repeats))


def tile(input: Tensor, dims: Ints) -> Tensor:
    """`repeat`, where missing counts in front are 1."""
    return repeat(input, (1,) * (input.ndim - len(dims)) + tuple(dims))


def repeat_interleave(
    input: Tensor, repeats: Any = None, dim: int | None = None, *, output_size: int | None = None
) -> Tensor:
    """Every entry (or slice along `dim`) so many times in a row; without `dim` of the flattened tensor. With a tensor
    of counts alone, the number of each count. RuntimeError for a negative count, or too few of them.
    """
    if repeats is None:
        counts = _counts(input)
        return Tensor._of(np.repeat(np.arange(counts.size), counts))
    if not isinstance(repeats, Tensor) and not argument_parser.is_int(repeats):
        raise argument_parser.Misfit(
            f"minigrad's repeat_interleave() takes an int or a tensor of counts, not {type(repeats).__name__}"
        )
    if dim is None:
        input = shaping.flatten(input)
        axis = 0
    else:
        axis = dtypes.axis_of(input.ndim, dim)
    if not isinstance(repeats, Tensor):
        count = int(repeats)
        if count < 0:
            raise RuntimeError("Repeats must be non-negative")
        shape = input._array.shape
        wide = shaping.expand(shaping.unsqueeze(input, axis + 1), (*shape[: axis + 1], count, *shape[axis + 1 :]))
        return shaping.flatten(shaping.Clone.apply(wide, in_rows=True), axis, axis + 1)
    counts = _counts(repeats)
    if counts.size != 1 and counts.size != input._array.shape[axis]:
        raise RuntimeError(
            f"repeats must have the same size as input along dim, but got repeats.size(0) = {counts.size} and "
            f"input.size({axis}) = {input._array.shape[axis]}"
        )
    taken = np.repeat(np.arange(input._array.shape[axis]), counts)
    return gathering.index_select(input, axis, Tensor._of(taken))


def _counts(tensor: Tensor) -> np.ndarray:
    """The counts of `repeat_interleave` as an array. RuntimeError where they are none."""
    counts = np.atleast_1d(tensor._array)
    if counts.ndim != 1:
        raise RuntimeError("repeat_interleave only accept 1D vector as repeat")
    if counts.dtype not in (np.int32, np.int64):
        raise RuntimeError("repeats has to be Long or Int tensor")
    if (counts < 0).any():
        raise RuntimeError("repeats can not be negative")
    return counts


class Flip(Function):
    """The entries in reverse order along some axes: so is the upstream gradient."""

    __slots__ = ("axes",)

    @staticmethod
    def forward(ctx: Any, a: Any, axes: tuple[int, ...]) -> Any:
        ctx.axes = axes
        return np.array(np.flip(a, axes), order="C")

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return array_ops.call(Flip, grad_output, axes=ctx.axes)


class Roll(Function):
    """The entries moved on along some axes, the last ones to the front: the upstream gradient is moved back."""

    __slots__ = ("shifts", "axes")

    @staticmethod
    def forward(ctx: Any, a: Any, shifts: tuple[int, ...], axes: tuple[int, ...] | None) -> Any:
        ctx.shifts, ctx.axes = shifts, axes
        return np.asarray(np.roll(a, shifts if axes else shifts[0], axes), order="C")

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return array_ops.call(Roll, grad_output, shifts=tuple([-each for each in ctx.shifts]), axes=ctx.axes)


def flip(input: Tensor, dims: Ints) -> Tensor:
    """A copy in reverse order along the axes `dims`. RuntimeError where one is named twice."""
    turned: list[int] = []
    for each in dims:
        axis = dtypes.axis_of(input.ndim, each)
        if axis in turned:
            raise RuntimeError(f"dim {axis} appears multiple times in the list of dims")
        turned.append(axis)
    return Flip.apply(input, axes=tuple(turned) if input.ndim else ())


def fliplr(input: Tensor) -> Tensor:
    """A copy with the columns in reverse order. RuntimeError for fewer than two axes."""
    if input.ndim < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return flip(input, (1,))


def flipud(input: Tensor) -> Tensor:
    """A copy with the rows in reverse order. RuntimeError for a tensor without axes."""
    if not input.ndim:
        raise RuntimeError("Input must be >= 1-d.")
    return flip(input, (0,))


def roll(input: Tensor, shifts: int | Ints, dims: int | Ints = ()) -> Tensor:
    """A copy whose entries are moved on by `shifts` along `dims`; without dims, of the flattened tensor."""
    assert not isinstance(shifts, int) and not isinstance(dims, int)  # one is a tuple of one by now
    if not shifts:
        raise RuntimeError("`shifts` required")
    if len(shifts) != len(dims) and (dims or len(shifts) != 1):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(shifts)}, dims:{len(dims)}")
    if dims and not input.ndim:
        raise IndexError(f"Dimension specified as {dims[0]} but tensor has no dimensions")
    if not input.numel():
        dims = ()
    along = tuple([dtypes.axis_of(input.ndim, each) for each in dims])
    return Roll.apply(input, shifts=tuple(shifts), axes=along or None)


define_all(globals(), "tile repeat_interleave flip fliplr flipud roll")
define("repeat", repeat, function=False)
