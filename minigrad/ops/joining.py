"""Joining several tensors, splitting one, repeating or reversing it. `split` and `chunk` give views: parts of the same
memory, which must not be changed in place, because all of them come from one node. The others copy.
Mirrors https://docs.pytorch.org/docs/stable/torch.html#indexing-slicing-joining-mutating-ops
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad import leaf
from minigrad.compat import dtypes
from minigrad.compat.messages import warn_once
from minigrad.graph import array_ops
from minigrad.ops import argument_parser, gathering, shaping, slicing
from minigrad.ops.argument_parser import Axes, Ints, Tensors
from minigrad.ops.operands import axes_of, axis_and_size, each_slice, variant
from minigrad.ops.registry import register
from minigrad.passing import views
from minigrad.scalar import Function
from minigrad.tensor import Shares, Tensor, Value

EMPTY = (0,)  # the shape of `torch.tensor([])`, which joins anything and adds nothing


class Cat(Function):
    """The inputs one after the other along an axis: each gets its part of the upstream gradient."""

    @staticmethod
    def forward(ctx: Function, *arrays: np.ndarray, axis: int = 0) -> np.ndarray:
        ctx.axis, ctx.shapes = axis, [array.shape for array in arrays]
        joined = np.concatenate([array for array in arrays if array.shape != EMPTY] or arrays, axis)
        return np.asarray(joined, order="C")  # row by row, whatever the inputs' memory layout

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        grads, start = [], 0
        for shape in ctx.shapes:
            if shape == EMPTY:
                grads.append(array_ops.zeros(shape, ctx.dtype, grad_output))
                continue
            end = start + shape[ctx.axis]
            grads.append(grad_output[(slice(None),) * ctx.axis + (slice(start, end),)])
            start = end
        return tuple(grads)


class Stack(Function):
    """The inputs side by side along a new axis: each gets its slice of the upstream gradient."""

    @staticmethod
    def forward(ctx: Function, *arrays: np.ndarray, axis: int = 0) -> np.ndarray:
        ctx.axis = axis
        return np.asarray(np.stack(arrays, axis), order="C")

    backward = staticmethod(lambda ctx, grad_output: tuple(each_slice(grad_output, ctx.axis)))


@register("cat", alias="concat concatenate", method=False)
def cat(tensors: Tensors, dim: int = 0) -> Tensor:
    """The tensors one after another along an axis, in one dtype. RuntimeError if shapes differ elsewhere."""
    if not tensors:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    for place, each in enumerate(tensors):
        if not each.ndim:
            raise RuntimeError(f"zero-dimensional tensor (at position {place}) cannot be concatenated")
    shapes = [tensor._array.shape for tensor in tensors]
    first = next((shape for shape in shapes if shape != EMPTY), EMPTY)
    axis = 0 if first == EMPTY else dtypes.axis_of(len(first), dim)
    for place, shape in enumerate(shapes):
        if shape == EMPTY:
            continue
        if len(shape) != len(first):
            raise RuntimeError(f"Tensors must have same number of dimensions: got {len(first)} and {len(shape)}")
        for i, (want, have) in enumerate(zip(first, shape, strict=True)):
            if i != axis and want != have:
                sizes = f"Expected size {want} but got size {have} for tensor number {place} in the list."
                raise RuntimeError(f"Sizes of tensors must match except in dimension {axis}. {sizes}")
    return Cat.apply(*tensors, axis=axis)


@register("stack", method=False)
def stack(tensors: Tensors, dim: int = 0) -> Tensor:
    """The tensors, all of one shape, side by side along a new axis. RuntimeError if shapes differ."""
    if not tensors:
        raise RuntimeError("stack expects a non-empty TensorList")
    first = tensors[0]
    axis = dtypes.axis_of(first.ndim + 1, dim)
    for place, each in enumerate(tensors):
        if each._array.shape != first._array.shape:
            sizes = f"{list(first.shape)} at entry 0 and {list(each.shape)} at entry {place}"
            raise RuntimeError(f"stack expects each tensor to be equal size, but got {sizes}")
    return Stack.apply(*tensors, axis=axis)


@register("hstack", method=False)
def hstack(tensors: Tensors) -> Tensor:
    """The tensors side by side: along the only axis of vectors, otherwise along the second."""
    parts = shaping.atleast_1d(tensors)
    return cat(parts, 0 if parts and parts[0].ndim == 1 else 1)


@register("vstack", method=False)
def vstack(tensors: Tensors) -> Tensor:
    """The tensors below each other, with each vector as a row."""
    return cat(shaping.atleast_2d(tensors))


@register("column_stack", method=False)
def column_stack(tensors: Tensors) -> Tensor:
    """The tensors side by side, with each vector as a column."""
    return cat([tensor if tensor.ndim > 1 else shaping.reshape(tensor, (tensor.numel(), 1)) for tensor in tensors], 1)


@register("meshgrid", method=False, checked=False)
def meshgrid(*tensors: Tensor | Tensors, indexing: str | None = None) -> tuple[Tensor, ...]:
    """For vectors of n and m entries two n×m matrices, with each along its axis; "xy" swaps the first two axes."""
    vectors = argument_parser.accepted("Tensors", tensors[0] if isinstance(tensors[0], (tuple, list)) else tensors)
    if indexing is None:
        warn_once("torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument.")
    elif indexing not in ("ij", "xy"):
        raise RuntimeError('torch.meshgrid: indexing must be one of "xy" or "ij", but received: ' + indexing)
    if any(vector.ndim > 1 for vector in vectors):
        raise RuntimeError("minigrad's meshgrid() takes tensors of at most one axis")
    if indexing == "xy" and len(vectors) > 1:
        second, first, *others = meshgrid(vectors[1], vectors[0], *vectors[2:], indexing="ij")
        return first, second, *others
    sizes, count = [vector.numel() for vector in vectors], len(vectors)
    columns = [shaping.view(item, (*(1,) * i, -1, *(1,) * (count - i - 1))) for i, item in enumerate(vectors)]
    return tuple([shaping.expand(column, sizes) for column in columns])


class Split(Function):
    """Consecutive parts along an axis, on a's memory: their upstream gradients, one after the other again."""

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, axis: int, pieces: Sequence[slice]) -> tuple[np.ndarray, ...]:
        ctx.axis = axis
        return tuple([a[(slice(None),) * axis + (piece,)] for piece in pieces])

    @staticmethod
    def backward(ctx: Function, *grads: Value) -> Shares:
        return array_ops.cat(grads, ctx.axis)


SplitWithSizes = variant("SplitWithSizes", Split)  # `Split` with every size given by the program


def _parts(input: Tensor, operation: type[Split], axis: int, sizes: Sequence[int]) -> tuple[Tensor, ...]:
    """Parts of these sizes along an axis. All share one node, so none of them can be changed in place."""
    ends = itertools.accumulate(sizes)
    pieces = [slice(end - size, end) for end, size in zip(ends, sizes, strict=True)]
    input._memory()
    parts = operation.apply(input, axis=axis, pieces=pieces)
    origin = "several" if leaf.recording else ""
    for part, piece in zip(parts, pieces, strict=True):
        views.note_view(part, input, slicing.Slice, {"axis": axis, "piece": piece}, origin)
    return parts


@register("split", function=False)
def split(input: Tensor, split_size: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Parts of `split_size` entries along an axis, or of the sizes in a list: views, not to be changed in place."""
    if not argument_parser.is_int(split_size):
        return split_with_sizes(input, split_size, dim)
    axis, length = axis_and_size(input, dim)
    size = int(split_size)
    if size < 0:
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={size}")
    if length and not size:
        raise RuntimeError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {length}")
    count = max(math.ceil(length / max(size, 1)), 1)
    return _parts(input, Split, axis, [size] * (count - 1) + [length - size * (count - 1)])


@register("split", method=False, checked=False)
def split_of(tensor: Tensor, split_size_or_sections: object, dim: int = 0) -> tuple[Tensor, ...]:
    """`torch.split`: the same as the method, with other argument names."""
    return tensor.split(split_size_or_sections, dim)


@register("split_with_sizes")
def split_with_sizes(input: Tensor, split_sizes: Ints, dim: int = 0) -> tuple[Tensor, ...]:
    """Parts of the given sizes along an axis. RuntimeError unless the sizes sum to its size."""
    split_sizes = argument_parser.accepted(
        "Ints", split_sizes, "split_with_sizes(): argument 'split_sizes' (position 2) "
    )
    axis, length = axis_and_size(input, dim)
    reason = "have only non-negative entries" if any(size < 0 for size in split_sizes) else ""
    if not reason and sum(split_sizes) != length:
        reason = f"to sum exactly to {length} (input tensor's size at dimension {dim})"
    if reason:
        raise RuntimeError(f"split_with_sizes expects split_sizes {reason}, but got split_sizes={list(split_sizes)}")
    return _parts(input, SplitWithSizes, axis, split_sizes)


@register("chunk")
def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """At most `chunks` parts of one size along an axis, the last may be smaller."""
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    length = axis_and_size(input, dim)[1]
    return split(input, math.ceil(length / chunks), dim) if length else split_with_sizes(input, [0] * chunks, dim)


UnsafeSplit, UnsafeSplitWithSizes = variant("UnsafeSplit", Split), variant("UnsafeSplitWithSizes", SplitWithSizes)


def unbound(input: Tensor, node: type[Split], parts: tuple[Tensor, ...], dim: int) -> tuple[Tensor, ...]:
    """Parts of these sizes that are no views: a change of one in place is its own, and nobody notices it."""
    axis = axis_and_size(input, dim)[0]
    results = _parts(input, node, axis, [part._array.shape[axis] for part in parts])
    for part in results:
        part._view = part._counter = None
    return results


@register("unsafe_split")
def unsafe_split(input: Tensor, split_size: int, dim: int = 0) -> tuple[Tensor, ...]:
    """`split`, with parts that may be changed in place: it is for you to see that nobody needs the others."""
    return unbound(input, UnsafeSplit, split(input, split_size, dim), dim)


@register("unsafe_split_with_sizes")
def unsafe_split_with_sizes(input: Tensor, split_sizes: Ints, dim: int = 0) -> tuple[Tensor, ...]:
    """`split_with_sizes`, with parts that may be changed in place; see `unsafe_split`."""
    return unbound(input, UnsafeSplitWithSizes, split_with_sizes(input, split_sizes, dim), dim)


@register("unsafe_chunk")
def unsafe_chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """`chunk`, with parts that may be changed in place; see `unsafe_split`."""
    return unbound(input, UnsafeSplit, chunk(input, chunks, dim), dim)


class Repeat(Function):
    """a repeated along each axis: the upstream gradients of the copies add up."""

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, counts: tuple[int, ...]) -> np.ndarray:
        ctx.input_shape, ctx.counts = a.shape, counts
        return np.tile(a, counts) if counts else np.array(a)

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        if not ctx.counts:
            return grad_output
        shape = (1,) * (len(ctx.counts) - len(ctx.input_shape)) + ctx.input_shape
        apart = [size for pair in zip(ctx.counts, shape, strict=True) for size in pair]
        return grad_output.reshape(tuple(apart)).sum(axis=tuple(range(0, len(apart), 2))).reshape(ctx.input_shape)


@register("repeat", function=False)
def repeat(input: Tensor, repeats: Ints) -> Tensor:
    """The tensor repeated along each axis, as often as given; more counts than axes add axes in front."""
    if len(repeats) < input.ndim:
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
    shape = (1,) * (len(repeats) - input.ndim) + input._array.shape
    sizes = [count * size for count, size in zip(repeats, shape, strict=True)]
    if min(sizes, default=0) < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(sizes)}: {sizes}")
    return Repeat.apply(input, counts=tuple(repeats))


@register("tile")
def tile(input: Tensor, dims: Ints) -> Tensor:
    """`repeat`, where missing counts in front are 1."""
    return repeat(input, (1,) * (input.ndim - len(dims)) + tuple(dims))


@register("repeat_interleave")
def repeat_interleave(
    input: Tensor, repeats: Tensor | int, dim: int | None = None, *, output_size: int | None = None
) -> Tensor:
    """Every entry (or slice along `dim`) repeated in a row; without `dim`, the flattened tensor is used. RuntimeError,
    TypeError or ValueError for counts that do not fit.
    """
    if not isinstance(repeats, Tensor) and not argument_parser.is_int(repeats):
        kind = type(repeats).__name__
        raise argument_parser.Misfit(f"minigrad's repeat_interleave() takes an int or a tensor of counts, not {kind}")
    if dim is None:
        input, dim = shaping.flatten(input), 0
    axis, size = axis_and_size(input, dim)
    if isinstance(repeats, Tensor):
        counts = np.atleast_1d(repeats._array)
        if counts.size not in (1, size):
            result = f"got repeats.size(0) = {counts.size} and input.size({axis}) = {size}"
            raise RuntimeError(f"repeats must have the same size as input along dim, but {result}")
        return gathering.index_select(input, axis, Tensor._of(np.repeat(np.arange(size), counts)))
    count = int(repeats)
    if count < 0:
        raise RuntimeError("Repeats must be non-negative")
    shape = input._array.shape
    wide = shaping.expand(shaping.unsqueeze(input, axis + 1), (*shape[: axis + 1], count, *shape[axis + 1 :]))
    return shaping.flatten(shaping.Clone.apply(wide, in_rows=True), axis, axis + 1)


class Flip(Function):
    """The entries in reverse order along some axes; the same goes for the upstream gradient."""

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, axes: tuple[int, ...]) -> np.ndarray:
        ctx.axes = axes
        return np.array(np.flip(a, axes), order="C")

    backward = staticmethod(lambda ctx, grad_output: array_ops.call(Flip, grad_output, axes=ctx.axes))


class Roll(Function):
    """The entries shifted along some axes, the last ones to the front: the upstream gradient is shifted back."""

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, shifts: tuple[int, ...], axes: tuple[int, ...] | None) -> np.ndarray:
        ctx.shifts, ctx.axes = shifts, axes
        return np.asarray(np.roll(a, shifts if axes else shifts[0], axes), order="C")

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        return array_ops.call(Roll, grad_output, shifts=tuple([-shift for shift in ctx.shifts]), axes=ctx.axes)


@register("flip")
def flip(input: Tensor, dims: Ints) -> Tensor:
    """A copy in reverse order along the axes `dims`. RuntimeError for duplicates."""
    return Flip.apply(input, axes=axes_of(input, dims) if dims else ())


@register("roll")
def roll(input: Tensor, shifts: Axes, dims: Axes = ()) -> Tensor:
    """A copy with its entries shifted by `shifts` along `dims`; without dims, of the flattened tensor."""
    assert not isinstance(shifts, int) and not isinstance(dims, int)  # a single one is a tuple by now
    if len(shifts) != (len(dims) or 1):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(shifts)}, dims:{len(dims)}")
    axes = tuple([axis_and_size(input, dim)[0] for dim in dims]) if input.numel() else ()
    return Roll.apply(input, shifts=tuple(shifts), axes=axes or None)


Tensor._cat, Tensor._stack = staticmethod(cat), staticmethod(stack)  # for `array_ops`
