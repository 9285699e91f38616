"""The same entries in another shape, expanded, or taken apart: nothing is copied unless it has to be.

A result that shares the memory of its input is a `ViewFunction`: a change of either is a change of both.

Mirrors https://docs.pytorch.org/docs/stable/tensor_view.html
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minigrad import leaf
from minigrad.compat import checks, dtypes, messages
from minigrad.ops import argument_parser, functions, slicing
from minigrad.ops.argument_parser import Dim, Ints
from minigrad.ops.operands import variant
from minigrad.ops.registry import define_all
from minigrad.runtime import array_ops, views
from minigrad.scalar import Function
from minigrad.tensor import Size, Tensor


class View(views.ViewFunction):
    """The entries, row by row, in another shape: so is the upstream gradient. ValueError if that needs a copy."""

    __slots__ = ("input_shape",)

    @staticmethod
    def forward(ctx: Any, a: Any, shape: tuple[int, ...]) -> Any:
        ctx.input_shape = a.shape
        return a.reshape(shape, copy=False)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return grad_output.reshape(ctx.input_shape)


ReshapeAlias = variant("ReshapeAlias", View)  # What torch calls a view of entries that do not lie row by row


class UnsafeView(Function):
    """The last step of a product or a copy: its result in another shape, and nobody else knows its memory."""

    __slots__ = ("input_shape",)

    @staticmethod
    def forward(ctx: Any, a: Any, shape: tuple[int, ...]) -> Any:
        ctx.input_shape = a.shape
        return a.reshape(shape)

    backward = staticmethod(View.backward)


class Clone(Function):
    """A copy in memory of its own: the upstream gradient, unchanged."""

    __slots__ = ()

    @staticmethod
    def forward(ctx: Any, a: Any, in_rows: bool = False) -> Any:
        return np.array(a, order="C" if in_rows else order_of(a))

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return grad_output


def order_of(a: Any) -> Any:
    """How a copy of `a` lies in memory, for numpy: as `a` does, but row by row where `a` repeats entries."""
    repeats = any(not step and size > 1 for step, size in zip(a.strides, a.shape, strict=True))
    return "C" if repeats else "K"


def inferred(shape: Sequence[int], count: int) -> tuple[int, ...]:
    """`shape` with its -1 replaced by what makes `count` entries. RuntimeError, in torch's words, if nothing does."""
    known, gap = 1, None
    for place, size in enumerate(shape):
        if size == -1:
            if gap is not None:
                raise RuntimeError("only one dimension can be inferred")
            gap = place
        elif size < 0:
            raise RuntimeError(f"invalid shape dimension {size} at index {place} of shape {list(shape)}")
        else:
            known *= size
    if count != known and (gap is None or not known or count % known):
        raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {count}")
    if gap is None:
        return tuple(shape)
    if not known:
        raise RuntimeError(
            f"cannot reshape tensor of 0 elements into shape {list(shape)} because the unspecified dimension size -1 "
            "can be any value and is ambiguous"
        )
    return (*shape[:gap], count // known, *shape[gap + 1 :])


def view(input: Tensor, size: Ints | dtypes.dtype) -> Tensor:
    """The same memory in another shape; one size may be -1. RuntimeError if the number of entries differs, or if they
    do not lie so in memory (then `reshape` copies them). NotImplementedError for a dtype: minigrad does not read the
    same bytes as other numbers.
    """
    if isinstance(size, dtypes.dtype):
        raise NotImplementedError("minigrad's view() takes a shape; it does not read memory as another dtype")
    shape = inferred(size, input._array.size)
    try:
        return View.apply(input, shape=shape)
    except ValueError:
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans across "
            "two contiguous subspaces). Use .reshape(...) instead."
        ) from None


def reshape(input: Tensor, shape: Ints) -> Tensor:
    """The entries, row by row, in another shape; a copy only where the memory does not allow a view. One size may be
    -1. RuntimeError if the number of entries differs.
    """
    shape = inferred(shape, input._array.size)
    if input._memory().flags.c_contiguous:
        return View.apply(input, shape=shape)
    try:
        return ReshapeAlias.apply(input, shape=shape)
    except ValueError:
        return UnsafeView.apply(Clone.apply(input, in_rows=True), shape=shape)


def view_as(input: Tensor, other: Tensor) -> Tensor:
    """`input.view(other.shape)`."""
    return view(input, other._array.shape)


def reshape_as(input: Tensor, other: Tensor) -> Tensor:
    """`input.reshape(other.shape)`."""
    return reshape(input, other._array.shape)


def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """The axes from `start_dim` to `end_dim` as one; the tensor itself if that is one axis already. IndexError for an
    axis that is not there, RuntimeError if the start comes after the end.
    """
    start, end = dtypes.axis_of(input.ndim, start_dim), dtypes.axis_of(input.ndim, end_dim)
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    shape = input._array.shape
    if not shape:
        return reshape(input, (1,))
    return (
        input
        if start == end
        else reshape(input, (*shape[:start], math.prod(shape[start : end + 1]), *shape[end + 1 :]))
    )


def unflatten(input: Tensor, dim: int, sizes: Ints) -> Tensor:
    """One axis taken apart into several; one size may be -1. RuntimeError if their product is not that of the axis."""
    axis = dtypes.axis_of(input.ndim, dim)
    if not sizes:
        raise RuntimeError("unflatten: sizes must be non-empty")
    if not input.ndim:  # torch says more: where in its C++ source this comes from
        raise RuntimeError("unflatten got an unexpected error:\nDimension specified as 0 but tensor has no dimensions")
    shape = input._array.shape
    try:
        parts = inferred(sizes, shape[axis])
    except RuntimeError as error:
        if "is invalid for input" not in str(error):
            raise RuntimeError(f"unflatten got an unexpected error:\n{error}") from None
        raise RuntimeError(
            f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of dim {axis} ({shape[axis]}) in "
            "the input tensor"
        ) from None
    return view(input, (*shape[:axis], *parts, *shape[axis + 1 :]))


def contiguous(input: Tensor, *, memory_format: Any = None) -> Tensor:
    """The tensor itself where its entries lie row by row, else a copy where they do."""
    return input if input._array.flags.c_contiguous else Clone.apply(input, in_rows=True)


def ravel(input: Tensor) -> Tensor:
    """All entries along one axis; a copy only where the memory does not allow a view."""
    return view(contiguous(input), (-1,))


class Expand(views.ViewFunction):
    """Copies of a along new axes, or along axes of size 1, without memory of their own: their gradients add up."""

    __slots__ = ()

    @staticmethod
    def forward(ctx: Any, a: Any, shape: tuple[int, ...]) -> Any:
        if a.shape == tuple(shape):
            return a.view()
        return np.lib.stride_tricks.as_strided(a, shape, np.broadcast_to(a, shape).strides)  # it can be written

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return grad_output  # summed over the copies where it leaves the node, by `upstream.fit`


class Unsqueeze(views.ViewFunction):
    """A new axis of size 1: the upstream gradient without it."""

    __slots__ = ("axis",)

    @staticmethod
    def forward(ctx: Any, a: Any, axis: int) -> Any:
        ctx.axis = axis
        return a[(slice(None),) * axis + (None, ...)]

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return array_ops.call(SqueezeDim, grad_output, axes=(ctx.axis,))


class Squeeze(views.ViewFunction):
    """Axes of size 1 taken away: the upstream gradient with them."""

    __slots__ = ("input_shape",)

    @staticmethod
    def forward(ctx: Any, a: Any, axes: tuple[int, ...]) -> Any:
        ctx.input_shape = a.shape
        return a.squeeze(axes)

    backward = staticmethod(View.backward)


SqueezeDim = variant("SqueezeDim", Squeeze, "SqueezeBackward1")  # `Squeeze` where the program names one axis
SqueezeDims = variant("SqueezeDims", Squeeze, "SqueezeBackward2")  # `Squeeze` where the program names several


def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """A new axis of size 1 at `dim`. IndexError outside -ndim-1 … ndim."""
    return Unsqueeze.apply(input, axis=dtypes.axis_of(input.ndim + 1, dim))


def squeeze(input: Tensor, dim: Dim = None) -> Tensor:
    """Without the axes of size 1: all of them, or those in `dim`; an axis of another size stays. IndexError for an axis
    that is not there, RuntimeError for one that is named twice.
    """
    operation, axes = squeezed(input, dim, (Squeeze, SqueezeDim, SqueezeDims))
    return operation.apply(input, axes=axes)


def squeezed(input: Tensor, dim: Any, kinds: tuple) -> tuple:
    """Which of the three kinds it is, and which axes go."""
    shape = input._array.shape
    if dim is None:
        kind, axes = kinds[0], list(range(len(shape)))
    elif isinstance(dim, (tuple, list)):
        kind, axes = kinds[2], [dtypes.axis_of(len(shape), each) for each in dim]
        for place, axis in enumerate(axes):
            if axis in axes[:place]:
                raise RuntimeError(f"dim {axis} appears multiple times in the list of dims")
    else:
        kind, axes = kinds[1], [dtypes.axis_of(len(shape), dim)]
    return kind, tuple([axis for axis in axes if shape and shape[axis] == 1])


def expand(input: Tensor, size: Ints) -> Tensor:
    """Copies along new axes in front and along axes of size 1, without memory of their own; -1 keeps a size. The
    gradient of an entry is the sum over its copies. RuntimeError where a size does not fit.
    """
    have = input._array.shape
    new = len(size) - len(have)
    if new < 0:
        kind = "CPUBoolType" if input.dtype is dtypes.bool_ else input.dtype.tensor_type
        raise RuntimeError(messages.NO_ROOM_AXES.format(kind, list(have), list(size), len(size), len(have)))
    shape = list(size)
    for axis in reversed(range(len(size))):
        if axis < new:
            if size[axis] < 0:
                raise RuntimeError(
                    f"The expanded size of the tensor ({size[axis]}) isn't allowed in a leading, non-existing "
                    f"dimension {axis}"
                )
        elif size[axis] == -1:
            shape[axis] = have[axis - new]
        elif have[axis - new] not in (1, size[axis]):
            raise RuntimeError(messages.NO_ROOM.format(size[axis], have[axis - new], axis, list(size), list(have)))
    return Expand.apply(input, shape=tuple(shape))


def expand_as(input: Tensor, other: Tensor) -> Tensor:
    """`input.expand(other.shape)`."""
    return expand(input, other._array.shape)


def broadcast_to(input: Tensor, size: Ints) -> Tensor:
    """`input.expand(size)`."""
    return expand(input, size)


def broadcast_tensors(*tensors: Tensor) -> tuple[Tensor, ...]:
    """Each tensor expanded to the shape in which all of them meet. RuntimeError if there is none."""
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        tensors = tuple(tensors[0])
    for place, each in enumerate(tensors):
        if not isinstance(each, Tensor):
            raise TypeError(f"expected Tensor as element {place} in argument 0, but got {type(each).__name__}")
    shape: tuple[int, ...] = ()
    for each in tensors:
        shape = met(shape, each._array.shape)
    return tuple([each if each._array.shape == shape else expand(each, shape) for each in tensors])


def _atleast(axes: int) -> Callable[..., Any]:
    """The function `atleast_1d`, `atleast_2d` or `atleast_3d`."""
    name = f"atleast_{axes}d"

    def one(tensor: Tensor) -> Tensor:
        if not tensor.ndim:
            return reshape(tensor, (1,) * axes)
        if tensor.ndim == 1 < axes:
            tensor = unsqueeze(tensor, 0)
        return unsqueeze(tensor, -1) if tensor.ndim == 2 < axes else tensor

    def atleast(*tensors: Any) -> Any:
        if len(tensors) == 1 and isinstance(tensors[0], Tensor):
            return one(tensors[0])
        if len(tensors) == 1 and not isinstance(tensors[0], (tuple, list)):
            argument_parser.fitting(argument_parser.forms_of(name, False), tensors, {})  # says what is wrong
        given = tensors[0] if len(tensors) == 1 else tensors
        return tuple([one(each) for each in argument_parser.demand_tensors(given)])

    atleast.__name__ = atleast.__qualname__ = name
    atleast.__doc__ = f"""The tensor with new axes of size 1, until there are {axes}; of several tensors a tuple."""
    return atleast


atleast_1d, atleast_2d, atleast_3d = _atleast(1), _atleast(2), _atleast(3)


def met(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    """The shape in which two shapes meet. RuntimeError, in torch's words, if there is none."""
    empty = np.empty((), bool)
    checks.demand_broadcast([np.broadcast_to(empty, a), np.broadcast_to(empty, b)])
    return np.broadcast_shapes(a, b)


def broadcast_shapes(*shapes: Any) -> Size:
    """The shape in which all the shapes meet. RuntimeError if there is none."""
    result: tuple[int, ...] = ()
    for place, each in enumerate(shapes):
        shape = (each,) if isinstance(each, int) else tuple(each)
        for axis in range(-1, -len(shape) - 1, -1):
            if -axis <= len(result) and shape[axis] != result[axis] and 1 not in (shape[axis], result[axis]):
                raise RuntimeError(
                    f"Attempting to broadcast a dimension of length {shape[axis]} at {axis}! Mismatching argument at "
                    f"index {place} had {shape}; but expected shape should be broadcastable to {list(result)}"
                )
        result = np.broadcast_shapes(result, shape)
    return Size(result)


class Unbind(Function):
    """The slices along one axis, each a tensor of its own on a's memory: their upstream gradients, stacked again."""

    __slots__ = ("axis",)

    @staticmethod
    def forward(ctx: Any, a: Any, axis: int) -> Any:
        ctx.axis = axis
        return tuple([a[(slice(None),) * axis + (i, ...)] for i in range(a.shape[axis])])

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return array_ops.stack(grads, ctx.axis)


def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """The slices along an axis, as a tuple of views that may not be changed in place. IndexError without axes."""
    axis = dtypes.axis_of(input.ndim, dim)
    if not input.ndim:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    if not input._memory().shape[axis]:
        return ()
    parts = Unbind.apply(input, axis=axis)
    origin = "several" if leaf.recording else ""
    for index, part in enumerate(parts):
        views.note_view(part, input, slicing.Select, {"axis": axis, "index": index}, origin)
    return parts


define_all(globals(), "reshape flatten unflatten ravel unsqueeze squeeze broadcast_to unbind")
define_all(globals(), "view view_as reshape_as contiguous expand expand_as", function=False)
for _each in (atleast_1d, atleast_2d, atleast_3d, broadcast_tensors, broadcast_shapes):
    functions[_each.__name__] = _each

Tensor._in_rows = lambda self: Clone.apply(self, in_rows=True)  # for `array_ops.copy`
