"""Several tensors to one, and one to several.

`split` and `chunk` give views: parts of the same memory, which may not be changed in place, because all of them come
from one node. The others copy.

Mirrors https://docs.pytorch.org/docs/stable/torch.html#indexing-slicing-joining-mutating-ops
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minigrad import leaf
from minigrad.compat import dtypes
from minigrad.compat.messages import warn_once
from minigrad.ops import arguments, functions, shaping, slicing
from minigrad.ops.arguments import Ints, Tensors, define
from minigrad.ops.axes import slices
from minigrad.runtime import array_ops, views
from minigrad.scalar import Function
from minigrad.tensor import Tensor

# --- joining -------------------------------------------------------------------------------------

EMPTY = (0,)  # the shape of `torch.tensor([])`, which joins anything and adds nothing


class Cat(Function):
    """The inputs one after the other along an axis: each gets its part of the upstream gradient."""

    __slots__ = ("axis", "shapes")

    @staticmethod
    def forward(ctx: Any, *arrays: Any, axis: int = 0) -> Any:
        ctx.axis, ctx.shapes = axis, [each.shape for each in arrays]
        joined = np.concatenate([each for each in arrays if each.shape != EMPTY] or arrays, axis)
        return np.asarray(joined, order="C")  # row by row, however the inputs lie in memory

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
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

    __slots__ = ("axis",)

    @staticmethod
    def forward(ctx: Any, *arrays: Any, axis: int = 0) -> Any:
        ctx.axis = axis
        return np.asarray(np.stack(arrays, axis), order="C")

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return tuple(slices(grad_output, ctx.axis))


def cat(tensors: Tensors, dim: int = 0) -> Tensor:
    """The tensors one after the other along an axis; dtypes meet in one, and `tensor([])` is left out.

    ValueError for an empty list, IndexError for an axis that is not there, RuntimeError where shapes differ elsewhere.

    >>> cat([Tensor([[1., 2.]]), Tensor([[3., 4.]])], dim=1)
    tensor([[1., 2., 3., 4.]])
    """
    if not tensors:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    for place, each in enumerate(tensors):
        if not each.ndim:
            raise RuntimeError(f"zero-dimensional tensor (at position {place}) cannot be concatenated")
    shapes = [each._array.shape for each in tensors]
    first = next((shape for shape in shapes if shape != EMPTY), EMPTY)
    axis = 0 if first == EMPTY else dtypes.axis_of(len(first), dim)
    for place, shape in enumerate(shapes):
        if shape in (first, EMPTY):
            continue
        if len(shape) != len(first):
            raise RuntimeError(f"Tensors must have same number of dimensions: got {len(first)} and {len(shape)}")
        for i, (want, have) in enumerate(zip(first, shape, strict=True)):
            if i != axis and want != have:
                raise RuntimeError(
                    f"Sizes of tensors must match except in dimension {axis}. Expected size {want} but got size {have} "
                    f"for tensor number {place} in the list."
                )
    return Cat.apply(*tensors, axis=axis)


def stack(tensors: Tensors, dim: int = 0) -> Tensor:
    """The tensors, all of one shape, side by side along a new axis. RuntimeError where shapes differ.

    >>> stack([Tensor([1., 2.]), Tensor([3., 4.])], dim=1)
    tensor([[1., 3.],
            [2., 4.]])
    """
    if not tensors:
        raise RuntimeError("stack expects a non-empty TensorList")
    first = tensors[0]
    axis = dtypes.axis_of(first.ndim + 1, dim)
    for place, each in enumerate(tensors):
        if each._array.shape != first._array.shape:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(first.shape)} at entry 0 and "
                f"{list(each.shape)} at entry {place}"
            )
    return Stack.apply(*tensors, axis=axis)


def hstack(tensors: Tensors) -> Tensor:
    """The tensors beside each other: along the only axis of vectors, else along the second.

    >>> hstack([Tensor([1., 2.]), Tensor([3.])])
    tensor([1., 2., 3.])
    """
    tensors = _demand_some("hstack", tensors)
    least = [each if each.ndim else shaping.reshape(each, (1,)) for each in tensors]
    return cat(least, 0 if least[0].ndim == 1 else 1)


def vstack(tensors: Tensors) -> Tensor:
    """The tensors below each other, a vector as one row.

    >>> vstack([Tensor([1., 2.]), Tensor([3., 4.])])
    tensor([[1., 2.],
            [3., 4.]])
    """
    return cat([_as_row(each) for each in _demand_some("vstack", tensors)])


def column_stack(tensors: Tensors) -> Tensor:
    """The tensors beside each other, a vector as one column.

    >>> column_stack([Tensor([1., 2.]), Tensor([3., 4.])])
    tensor([[1., 3.],
            [2., 4.]])
    """
    tensors = _demand_some("column_stack", tensors)
    return cat([each if each.ndim > 1 else shaping.reshape(each, (each.numel(), 1)) for each in tensors], 1)


def dstack(tensors: Tensors) -> Tensor:
    """The tensors behind each other, along the third axis.

    >>> dstack([Tensor([1., 2.]), Tensor([3., 4.])]).shape
    torch.Size([1, 2, 2])
    """
    rows = [_as_row(each) for each in _demand_some("dstack", tensors)]
    return cat([each if each.ndim > 2 else shaping.unsqueeze(each, -1) for each in rows], 2)


def _as_row(tensor: Tensor) -> Tensor:
    if not tensor.ndim:
        return shaping.reshape(tensor, (1, 1))
    return shaping.unsqueeze(tensor, 0) if tensor.ndim == 1 else tensor


def _demand_some(name: str, tensors: Tensors) -> Tensors:
    if not tensors:
        raise RuntimeError(f"{name} expects a non-empty TensorList")
    return tensors


def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Tensor, ...]:
    """For vectors of n and m entries two n×m matrices, with each vector along its axis; "xy" swaps the first two axes.

    RuntimeError for a tensor of more axes, or another `indexing`; a warning where it is left out.

    >>> meshgrid(Tensor([1., 2.]), Tensor([3., 4., 5.]), indexing="ij")[0]
    tensor([[1., 1., 1.],
            [2., 2., 2.]])
    """
    vectors = [*tensors[0]] if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)) else [*tensors]
    arguments.demand_tensors(vectors)
    if indexing is None:
        warn_once("torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument.")
    if not vectors:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    if indexing not in (None, "ij", "xy"):
        raise RuntimeError('torch.meshgrid: indexing must be one of "xy" or "ij", but received: ' + str(indexing))
    if any(each.dtype is not vectors[0].dtype for each in vectors):
        raise RuntimeError("torch.meshgrid expects all tensors to have the same dtype")
    if any(each.ndim > 1 for each in vectors):
        raise RuntimeError("minigrad's meshgrid() takes tensors of at most one axis")
    places = [*range(len(vectors))]
    if indexing == "xy" and len(vectors) > 1:
        places[:2] = 1, 0
    sizes = [0] * len(vectors)
    for place, each in zip(places, vectors, strict=True):
        sizes[place] = each.numel()
    return tuple(
        [
            shaping.expand(shaping.view(each, [-1 if i == place else 1 for i in range(len(sizes))]), sizes)
            for place, each in zip(places, vectors, strict=True)
        ]
    )


# --- taking apart --------------------------------------------------------------------------------


class Split(Function):
    """Consecutive parts along an axis, on a's memory: their upstream gradients, one after the other again."""

    __slots__ = ("axis",)

    @staticmethod
    def forward(ctx: Any, a: Any, axis: int, pieces: Sequence[slice]) -> Any:
        ctx.axis = axis
        return tuple([a[(slice(None),) * axis + (piece,)] for piece in pieces])

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return array_ops.cat(grads, ctx.axis)


class SplitWithSizes(Split):
    """`Split` where the program gives every size."""

    __slots__ = ()


def _parts(input: Tensor, operation: type[Split], axis: int, sizes: Sequence[int]) -> tuple[Tensor, ...]:
    """Parts of these sizes along an axis. All share one node, so none of them may be changed in place."""
    ends = [*np.cumsum(sizes, dtype=int).tolist()]
    pieces = [slice(end - size, end) for end, size in zip(ends, sizes, strict=True)]
    input._memory()
    parts = operation.apply(input, axis=axis, pieces=pieces)
    origin = "several" if leaf.recording else ""
    for part, piece in zip(parts, pieces, strict=True):
        views.note_view(part, input, slicing.Slice, {"axis": axis, "piece": piece}, origin)
    return parts


def split(input: Tensor, split_size: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Parts of `split_size` entries along an axis, the last may be smaller; or of the sizes in a list.

    The parts are views that may not be changed in place. RuntimeError where the sizes do not fit the axis.

    >>> Tensor([1., 2., 3.]).split(2)
    (tensor([1., 2.]), tensor([3.]))
    """
    if not arguments.is_int(split_size):
        return split_with_sizes(input, split_size, dim)
    if not input.ndim:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    size = int(split_size)
    if size < 0:
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={size}")
    axis = dtypes.axis_of(input.ndim, dim)
    length = input._array.shape[axis]
    if not size:
        if length:
            raise RuntimeError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {length}")
        return _parts(input, Split, axis, [0])
    count = max(math.ceil(length / size), 1)
    return _parts(input, Split, axis, [size] * (count - 1) + [length - size * (count - 1)])


def split_of(tensor: Any, split_size_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """`torch.split`: what the method does, with other names of its arguments.

    >>> split_of(Tensor([1., 2., 3.]), split_size_or_sections=2)
    (tensor([1., 2.]), tensor([3.]))
    """
    return tensor.split(split_size_or_sections, dim)


def split_with_sizes(input: Tensor, split_sizes: Ints, dim: int = 0) -> tuple[Tensor, ...]:
    """Parts of the given sizes along an axis. RuntimeError unless the sizes sum to its size.

    >>> Tensor([1., 2., 3.]).split_with_sizes([1, 2])
    (tensor([1.]), tensor([2., 3.]))
    """
    split_sizes = arguments.ints_of(split_sizes, "split_with_sizes(): argument 'split_sizes' (position 2)")
    if not input.ndim:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    axis = dtypes.axis_of(input.ndim, dim)
    if any(size < 0 for size in split_sizes):
        raise RuntimeError(
            "split_with_sizes expects split_sizes have only non-negative entries, but got "
            f"split_sizes={list(split_sizes)}"
        )
    length = input._array.shape[axis]
    if sum(split_sizes) != length:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {length} (input tensor's size at dimension "
            f"{dim}), but got split_sizes={list(split_sizes)}"
        )
    return _parts(input, SplitWithSizes, axis, split_sizes)


def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """At most `chunks` parts of one size along an axis, the last may be smaller.

    >>> Tensor([1., 2., 3.]).chunk(2)
    (tensor([1., 2.]), tensor([3.]))
    """
    if not input.ndim:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    axis = dtypes.axis_of(input.ndim, dim)
    length = input._array.shape[axis]
    if not length:
        return split_with_sizes(input, [0] * chunks, dim)
    return split(input, math.ceil(length / chunks), dim)


def tensor_split(input: Tensor, indices_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """So many parts along an axis, their sizes differing by at most 1; or parts that end at the given places.

    >>> Tensor([1., 2., 3.]).tensor_split(2)
    (tensor([1., 2.]), tensor([3.]))
    """
    if not input.ndim:
        raise RuntimeError("tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims")
    axis = dtypes.axis_of(input.ndim, dim)
    length = input._array.shape[axis]
    if arguments.is_int(indices_or_sections):
        sections = int(indices_or_sections)
        if sections <= 0:
            raise RuntimeError(f"number of sections must be larger than 0, got {sections}")
        small, more = divmod(length, sections)
        ends = np.cumsum([small + (i < more) for i in range(sections)]).tolist()[:-1]
    else:
        given = indices_or_sections.tolist() if isinstance(indices_or_sections, Tensor) else indices_or_sections
        ends = [*arguments.ints_of(given, "tensor_split(): argument 'indices' (position 1)")]
    return tuple(
        [
            slicing.Slice.apply(input, axis=axis, piece=slice(start, end))
            for start, end in zip([0, *ends], [*ends, length], strict=True)
        ]
    )


# --- names ---------------------------------------------------------------------------------------

_operation: Callable[..., Any]
for _name, _operation in {
    "cat": cat,
    "concat": cat,
    "concatenate": cat,
    "stack": stack,
    "hstack": hstack,
    "vstack": vstack,
    "row_stack": vstack,
    "column_stack": column_stack,
    "dstack": dstack,
}.items():
    define(_name, _operation, method=False)
for _operation in (split_with_sizes, chunk, tensor_split):
    define(_operation.__name__, _operation)
define("split", split, function=False)
split_of.__name__ = split_of.__qualname__ = "split"
functions["split"] = split_of
functions["meshgrid"] = meshgrid

# For `array_ops.stack` and `cat`, which stand below
Tensor._stack = lambda self, values, axis: stack(values, axis)
Tensor._cat = lambda self, values, axis: cat(values, axis)
