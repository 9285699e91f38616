"""The same entries in another shape, expanded, or split: nothing is copied unless necessary. A result that
shares the memory of its input is a `ViewFunction`: a change of either is a change of both.
Mirrors https://docs.pytorch.org/docs/stable/tensor_view.html
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minigrad import leaf
from minigrad.arithmetic import strides
from minigrad.compat import checks, dtypes, messages
from minigrad.graph import array_ops, state
from minigrad.ops import argument_parser, slicing
from minigrad.ops.argument_parser import Dim, Ints, Tensors
from minigrad.ops.operands import axes_of, axis_and_size, variant
from minigrad.ops.registry import register
from minigrad.passing import views
from minigrad.scalar import Function
from minigrad.tensor import Shares, Tensor, Value


class View(views.ViewFunction):
    """The entries, row by row, in another shape; so is the upstream gradient. ValueError if that needs a copy."""

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
        ctx.input_shape = a.shape
        return a.reshape(shape, copy=False)

    backward = staticmethod(lambda ctx, grad_output: grad_output.reshape(ctx.input_shape))


ReshapeAlias = variant("ReshapeAlias", View)  # torch's name for a view of entries that are not stored row by row


class UnsafeView(Function):
    """The last step of a product or a copy: its result in another shape, with memory that nothing else shares."""

    forward, backward = staticmethod(View.forward), staticmethod(View.backward)


class Clone(Function):
    """A copy: the upstream gradient is unchanged."""

    forward = staticmethod(lambda ctx, a, in_rows=False: np.array(a, order="C" if in_rows else order_of(a)))

    backward = staticmethod(lambda ctx, grad_output: grad_output)


def order_of(a: np.ndarray) -> Any:
    """The memory layout of a copy of `a`, for numpy: that of `a`, but row by row if `a` repeats entries."""
    repeats = any(not step and size > 1 for step, size in zip(a.strides, a.shape, strict=True))
    return "C" if repeats else "K"


def inferred(shape: Sequence[int], count: int) -> tuple[int, ...]:
    """`shape` with its -1 replaced so that there are `count` entries. RuntimeError, in torch's words, if impossible."""
    known = 1
    for size in shape:
        if size < 0:
            break
        known *= size
    else:
        if known == count:
            return tuple(shape)
    gaps = [place for place, size in enumerate(shape) if size == -1]
    if len(gaps) > 1:
        raise RuntimeError("only one dimension can be inferred")
    for place, size in enumerate(shape):
        if size < -1:
            raise RuntimeError(f"invalid shape dimension {size} at index {place} of shape {list(shape)}")
    known = math.prod([size for size in shape if size != -1])
    if count != known and (not gaps or not known or count % known):
        raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {count}")
    if not gaps:
        return tuple(shape)
    if not known:
        reason = "because the unspecified dimension size -1 can be any value and is ambiguous"
        raise RuntimeError(f"cannot reshape tensor of 0 elements into shape {list(shape)} {reason}")
    return (*shape[: gaps[0]], count // known, *shape[gaps[0] + 1 :])


@register("view", function=False)
def view(input: Tensor, size: Ints | dtypes.dtype) -> Tensor:
    """The same memory in another shape; one size may be -1. RuntimeError if the count or the memory layout differs."""
    if isinstance(size, dtypes.dtype):
        raise NotImplementedError("minigrad's view() takes a shape; it does not read memory as another dtype")
    shape = inferred(size, input._array.size)
    try:
        return View.apply(input, shape=shape)
    except ValueError:
        why = "at least one dimension spans across two contiguous subspaces). Use .reshape(...) instead."
        raise RuntimeError(f"view size is not compatible with input tensor's size and stride ({why}") from None


@register("reshape")
def reshape(input: Tensor, shape: Ints) -> Tensor:
    """The entries, row by row, in another shape; one size may be -1. A copy only if the memory allows no view."""
    shape = inferred(shape, input._array.size)
    if input._memory().flags.c_contiguous:
        return View.apply(input, shape=shape)
    try:
        return ReshapeAlias.apply(input, shape=shape)
    except ValueError:
        return UnsafeView.apply(Clone.apply(input, in_rows=True), shape=shape)


@register("flatten")
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """The axes from `start_dim` to `end_dim` as one; itself if that is one already. RuntimeError for start > end."""
    start, end = dtypes.axis_of(input.ndim, start_dim), dtypes.axis_of(input.ndim, end_dim)
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    shape = input._array.shape
    if not shape:
        return reshape(input, (1,))
    whole = math.prod(shape[start : end + 1])
    return input if start == end else reshape(input, (*shape[:start], whole, *shape[end + 1 :]))


@register("unflatten")
def unflatten(input: Tensor, dim: int, sizes: Ints) -> Tensor:
    """One axis split into several; one size may be -1. RuntimeError if their product is not the axis's size."""
    axis, size = axis_and_size(input, dim)
    if not sizes or (-1 not in sizes and math.prod(sizes) != size):
        product = f"Provided sizes {list(sizes)} don't multiply up to the size of dim {axis} ({size})"
        raise RuntimeError(f"unflatten: {product} in the input tensor")
    shape = input._array.shape
    return view(input, (*shape[:axis], *inferred(sizes, size), *shape[axis + 1 :]))


@register("contiguous", function=False)
def contiguous(input: Tensor, *, memory_format: object = None) -> Tensor:
    """The tensor itself if its entries are stored row by row, else a copy where they are."""
    return input if input._array.flags.c_contiguous else Clone.apply(input, in_rows=True)


@register("ravel")
def ravel(input: Tensor) -> Tensor:
    """All entries along one axis; a copy only if the memory does not allow a view."""
    return view(contiguous(input), (-1,))


class Expand(views.ViewFunction):
    """Copies of a along new axes, or along axes of size 1, without using memory: their gradients add up."""

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
        if a.shape == tuple(shape):
            return a.view()
        return strides.repeated(a, shape)

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        return grad_output  # summed over the copies where it leaves the node, by `upstream.fit`


class Unsqueeze(views.ViewFunction):
    """A new axis of size 1: the upstream gradient without it."""

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, axis: int) -> np.ndarray:
        ctx.axis = axis
        return a[(slice(None),) * axis + (None, ...)]

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        return array_ops.call(SqueezeDim, grad_output, axes=(ctx.axis,))


class Squeeze(views.ViewFunction):
    """Axes of size 1 removed: the upstream gradient with them restored."""

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, axes: tuple[int, ...]) -> np.ndarray:
        ctx.input_shape = a.shape
        return a.squeeze(axes)

    backward = staticmethod(View.backward)


SqueezeDim = variant("SqueezeDim", Squeeze, "SqueezeBackward1")  # `Squeeze` with one axis given
SqueezeDims = variant("SqueezeDims", Squeeze, "SqueezeBackward2")  # `Squeeze` with several axes given


class SqueezeInPlace(Function, name="SqueezeBackward4"):
    """The last step of a vector times a matrix, and of a quantile: a result without an axis of size 1, in place."""

    forward, backward = staticmethod(Squeeze.forward), staticmethod(Squeeze.backward)

    @classmethod
    def apply(cls, a: Tensor, axis: int) -> Tensor:
        if state.batched is not None and (entry := state.batched(cls, (a,), {"axes": (axis,)})) is not None:
            return entry
        result = super().apply(a, axes=(axis,))
        leaf.counter(result)[0] += 1
        return result


@register("unsqueeze")
def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """A new axis of size 1 at `dim`. IndexError outside -ndim-1 … ndim."""
    return Unsqueeze.apply(input, axis=dtypes.axis_of(input.ndim + 1, dim))


@register("squeeze")
def squeeze(input: Tensor, dim: Dim = None) -> Tensor:
    """Without the axes of size 1: all of them, or those in `dim`. IndexError if one is out of range."""
    shape = input._array.shape
    several = isinstance(dim, (tuple, list))
    axes = () if several and not dim else axes_of(input, dim)
    kind = Squeeze if dim is None else SqueezeDims if several else SqueezeDim
    return kind.apply(input, axes=tuple([axis for axis in axes if shape[axis] == 1]))


@register("broadcast_to")
@register("expand", function=False)
def expand(input: Tensor, size: Ints) -> Tensor:
    """Copies along new axes and those of size 1, without memory; -1 keeps a size. RuntimeError for others."""
    return Expand.apply(input, shape=shape_expanded(input, size))


def shape_expanded(input: Tensor, size: Ints) -> tuple[int, ...]:
    """The shape that `expand` gives a tensor."""
    have = input._array.shape
    new = len(size) - len(have)
    if new < 0:
        kind = "CPUBoolType" if input.dtype is dtypes.bool_ else input.dtype.tensor_type
        raise RuntimeError(messages.NO_ROOM_AXES.format(kind, list(have), list(size), len(size), len(have)))
    shape = list(size)
    for axis in reversed(range(len(size))):
        if axis < new:
            if size[axis] < 0:
                where = f"in a leading, non-existing dimension {axis}"
                raise RuntimeError(f"The expanded size of the tensor ({size[axis]}) isn't allowed {where}")
        elif size[axis] == -1:
            shape[axis] = have[axis - new]
        elif have[axis - new] not in (1, size[axis]):
            raise RuntimeError(messages.NO_ROOM.format(size[axis], have[axis - new], axis, list(size), list(have)))
    return tuple(shape)


def _as(operation: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """`view_as`, `reshape_as` or `expand_as`."""

    def of_shape(input: Tensor, other: Tensor) -> Tensor:
        return operation(input, other._array.shape)

    of_shape.__doc__ = f"`input.{operation.__name__}(other.shape)`."
    return of_shape


view_as = register("view_as", _as(view), function=False)
reshape_as = register("reshape_as", _as(reshape), function=False)
expand_as = register("expand_as", _as(expand), function=False)


@register("broadcast_tensors", method=False, checked=False)
def broadcast_tensors(*tensors: Any) -> tuple[Tensor, ...]:
    """The tensors expanded to their common shape. RuntimeError if there is none."""
    given = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)) else tensors
    shape: tuple[int, ...] = ()
    for item in argument_parser.accepted("Tensors", given):
        shape = met(shape, item._array.shape)
    return tuple([item if item._array.shape == shape else expand(item, shape) for item in given])


def _atleast(axes: int) -> Callable:
    """The function `atleast_1d`, `atleast_2d` or `atleast_3d`."""

    def one(tensor: Tensor) -> Tensor:
        if not tensor.ndim:
            return reshape(tensor, (1,) * axes)
        if tensor.ndim == 1 < axes:
            tensor = unsqueeze(tensor, 0)
        return unsqueeze(tensor, -1) if tensor.ndim == 2 < axes else tensor

    def atleast(*tensors: Tensor | Tensors) -> Tensor | tuple[Tensor, ...]:
        if len(tensors) == 1 and isinstance(tensors[0], Tensor):
            return one(tensors[0])
        given = argument_parser.accepted("Tensors", tensors[0] if len(tensors) == 1 else tensors)
        return tuple([one(item) for item in given])

    atleast.__name__ = atleast.__qualname__ = f"atleast_{axes}d"
    atleast.__doc__ = f"The tensor with new axes of size 1, until there are {axes}; of several tensors a tuple."
    return atleast


atleast_1d = register("atleast_1d", _atleast(1), method=False, checked=False)
atleast_2d = register("atleast_2d", _atleast(2), method=False, checked=False)
atleast_3d = register("atleast_3d", _atleast(3), method=False, checked=False)


def met(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    """The common shape of two shapes. RuntimeError, in torch's words, if there is none."""
    empty = np.empty((), bool)
    checks.demand_broadcast([np.broadcast_to(empty, a), np.broadcast_to(empty, b)])
    return np.broadcast_shapes(a, b)


class Unbind(Function):
    """The slices along one axis, each a separate tensor on a's memory: their upstream gradients, stacked again."""

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, axis: int) -> tuple[np.ndarray, ...]:
        ctx.axis = axis
        return tuple([a[(slice(None),) * axis + (i, ...)] for i in range(a.shape[axis])])

    @staticmethod
    def backward(ctx: Function, *grads: Value) -> Shares:
        return array_ops.stack(grads, ctx.axis)


@register("unbind")
def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """The slices along an axis, as a tuple of views that cannot be changed in place. IndexError without axes."""
    axis, size = axis_and_size(input, dim)
    input._memory()
    parts = Unbind.apply(input, axis=axis) if size else ()
    origin = "several" if leaf.recording else ""
    for index, part in enumerate(parts):
        views.note_view(part, input, slicing.Select, {"axis": axis, "index": index}, origin)
    return parts


Tensor._in_rows = lambda self: Clone.apply(self, in_rows=True)  # for `array_ops.copy`
