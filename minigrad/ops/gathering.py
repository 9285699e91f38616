"""Entries picked by numbers along an axis, and values sent there: `gather`, `scatter`, `index_select`, `index_add`.

To pick is the counterpart of to add: an entry that is picked several times gets the sum of its upstream gradients.

Mirrors https://docs.pytorch.org/docs/stable/generated/torch.gather.html and
https://docs.pytorch.org/docs/stable/generated/torch.Tensor.scatter_.html
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.compat import dtypes
from minigrad.compat.typenames import name_of_type
from minigrad.ops import shaping
from minigrad.ops.argument_parser import Misfit
from minigrad.ops.registry import define_all
from minigrad.runtime import array_ops
from minigrad.scalar import Function
from minigrad.tensor import Tensor, is_operand


def places(index: Any, axis: int) -> tuple:
    """Where the entries of an index tensor point: their own place, but for the axis, where the index counts."""
    index = np.atleast_1d(array_ops.raw(index))
    result = list(np.indices(index.shape, sparse=True))
    result[axis] = index
    return tuple(result)


class Gather(Function):
    """result[i, j] = a[i, index[i, j]], along any axis: an entry gets the sum of what was picked from it."""

    __slots__ = ("axis",)
    saves = ("self", "index")

    @staticmethod
    def forward(ctx: Any, a: Any, axis: int, index: Any) -> Any:
        ctx.save_for_backward(a, index)
        ctx.axis = axis
        return np.atleast_1d(a)[places(index, axis)].reshape(index.shape)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, index = ctx.saved_tensors
        zeros = array_ops.zeros(a.shape, ctx.dtype, grad_output)
        return array_ops.call(ScatterAdd, zeros, grad_output, axis=ctx.axis, index=index)


class ScatterAdd(Function):
    """a with each entry of source added where the index points; source gets the upstream gradient of that place."""

    __slots__ = ("axis", "source_shape")
    saves = ("index",)
    promotes = False

    @staticmethod
    def forward(ctx: Any, a: Any, source: Any, axis: int, index: Any) -> Any:
        _save_for_source(ctx, index)
        ctx.axis = axis
        result = np.array(a, order="C")
        np.add.at(np.atleast_1d(result), places(index, axis), _beside(source, index))
        return result

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        if not ctx.needs_input_grad[1]:
            return grad_output, None
        (index,) = ctx.saved_tensors
        return grad_output, array_ops.call(Gather, grad_output, axis=ctx.axis, index=index)


class Scatter(Function):
    """a with each entry of source written where the index points; what was there gets no gradient."""

    __slots__ = ("axis",)
    saves = ("index",)
    promotes = False

    @staticmethod
    def forward(ctx: Any, a: Any, source: Any, axis: int, index: Any) -> Any:
        ctx.save_for_backward(index)
        ctx.axis = axis
        result = np.array(a, order="C")
        np.atleast_1d(result)[places(index, axis)] = _beside(source, index)
        return result

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        (index,) = ctx.saved_tensors
        needs_a, needs_source = ctx.needs_input_grad
        return (
            array_ops.call(ScatterNumber, grad_output, axis=ctx.axis, index=index, value=0) if needs_a else None,
            array_ops.call(Gather, grad_output, axis=ctx.axis, index=index) if needs_source else None,
        )


class ScatterNumber(Function, name="ScatterBackward1"):
    """a with one number written where the index points; what was there gets no gradient."""

    __slots__ = ("axis",)
    saves = ("index",)

    @staticmethod
    def forward(ctx: Any, a: Any, axis: int, index: Any, value: Any) -> Any:
        ctx.save_for_backward(index)
        ctx.axis = axis
        result = np.array(a, order="C")
        np.atleast_1d(result)[places(index, axis)] = value
        return result

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        (index,) = ctx.saved_tensors
        return array_ops.call(ScatterNumber, grad_output, axis=ctx.axis, index=index, value=0)


def _save_for_source(ctx: Any, *values: Any) -> None:
    """Keep what only the gradient of the source needs, as torch does; a run outside a graph needs nothing."""
    if getattr(ctx, "needs_input_grad", (False, False))[1]:
        ctx.save_for_backward(*values)


def _beside(source: Any, index: Any) -> Any:
    """The entries of source that have one in index beside them."""
    return np.atleast_1d(source)[tuple([slice(size) for size in np.atleast_1d(array_ops.raw(index)).shape])]


def gather(input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Tensor:
    """result[i, j] = input[i, index[i, j]] for dim=1, and so along any axis; the result has the shape of `index`.
    `index` holds int64 or int32 and has as many axes as `input`. RuntimeError for another index, or one too large.
    """
    axis = dtypes.axis_of(input.ndim, dim)
    if index.dtype not in (dtypes.int32, dtypes.int64):
        raise RuntimeError("gather(): Expected dtype int32/int64 for index")
    _demand_same_axes(input, index, "input")
    for i, (have, room) in enumerate(zip(index.shape, input.shape, strict=False)):
        if i != axis and have > room:
            raise RuntimeError(
                f"Size does not match at dimension {i} expected index {list(index.shape)} to be no larger than self "
                f"{list(input.shape)} apart from dimension {axis}"
            )
    array_ops.demand_inside(index._array, axis, input._array.shape)
    return Gather.apply(input, axis=axis, index=index)


def scatter(
    input: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None, reduce: Any = None
) -> Tensor:
    """A copy with result[i, index[i, j]] = src[i, j] for dim=1, and so along any axis; `src` may be one number.
    RuntimeError for an index that is no int64 or int32, reaches outside, or is larger than `src`.
    """
    if reduce is not None:
        raise NotImplementedError("minigrad's scatter() writes; use scatter_add() to add")
    source = value if src is None else src
    if not is_operand(source):
        raise Misfit(f"scatter(): argument 'src' must be Tensor or Number, not {name_of_type(source)}")
    axis = _demand_scatter("scatter", input, dim, index, source)
    if isinstance(source, Tensor):
        return Scatter.apply(input, source, axis=axis, index=index)
    return ScatterNumber.apply(input, axis=axis, index=index, value=dtypes.plain(source))


def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """A copy with src[i, j] added to [i, index[i, j]] for dim=1, and so along any axis. RuntimeError as `scatter`."""
    axis = _demand_scatter("scatter", input, dim, index, src)
    return ScatterAdd.apply(input, src, axis=axis, index=index)


def _demand_scatter(name: str, input: Tensor, dim: int, index: Tensor, source: Any) -> int:
    """The axis. RuntimeError, in torch's words, where index or source do not fit."""
    axis = dtypes.axis_of(input.ndim, dim)
    if index.dtype not in (dtypes.int32, dtypes.int64):
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index")
    if isinstance(source, Tensor) and source.dtype is not input.dtype:
        raise RuntimeError(f"{name}(): Expected self.dtype to be equal to src.dtype")
    if not index.numel():
        return axis
    _demand_same_axes(input, index, "self")
    if isinstance(source, Tensor):
        _demand_same_axes(source, index, "src")
        small = [
            (i != axis and have > room) or have > there
            for i, (have, room, there) in enumerate(zip(index.shape, input.shape, source.shape, strict=False))
        ]
        if any(small):
            raise RuntimeError(
                f"Expected index {list(index.shape)} to be no larger than self {list(input.shape)} apart from "
                f"dimension {axis} and to be no larger size than src {list(source.shape)}"
            )
    elif any(i != axis and have > room for i, (have, room) in enumerate(zip(index.shape, input.shape, strict=False))):
        raise RuntimeError(
            f"Expected index {list(index.shape)} to be no larger than self {list(input.shape)} apart from dimension "
            f"{axis}"
        )
    array_ops.demand_inside(index._array, axis, input._array.shape)
    return axis


def _demand_same_axes(tensor: Tensor, index: Tensor, word: str) -> None:
    if index.numel() and max(tensor.ndim, 1) != max(index.ndim, 1):
        raise RuntimeError(f"Index tensor must have the same number of dimensions as {word} tensor")


def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None) -> Tensor:
    """`gather`, where input and indices are first expanded to one shape; without `dim`, of the flattened input."""
    if indices.dtype is not dtypes.int64:
        raise RuntimeError(
            "torch.take_along_dim(): dtype of indices should be Long but got " + indices.dtype.scalar_type
        )
    if dim is None:
        return gather(shaping.view(input, (-1,)), 0, shaping.view(indices, (-1,)))
    if input.ndim != indices.ndim:
        raise RuntimeError(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, but got "
            f"{input.ndim} dimensions for input, and {indices.ndim} dimensions for indices"
        )
    axis = dtypes.axis_of(input.ndim, dim)
    own, asked = input._array.shape, indices._array.shape
    common = shaping.met((*own[:axis], 1, *own[axis + 1 :]), (*asked[:axis], 1, *asked[axis + 1 :]))
    wide = [(*common[:axis], each.shape[axis], *common[axis + 1 :]) for each in (input, indices)]
    return gather(shaping.expand(input, wide[0]), axis, shaping.expand(indices, wide[1]))


class IndexSelect(Function):
    """The slices of a at the numbers in index: a slice gets the sum of what was taken from it."""

    __slots__ = ("axis", "input_shape")
    saves = ("index",)

    @staticmethod
    def forward(ctx: Any, a: Any, axis: int, index: Any) -> Any:
        ctx.save_for_backward(index)
        ctx.axis, ctx.input_shape = axis, a.shape
        return (
            np.atleast_1d(a).take(np.atleast_1d(array_ops.raw(index)), axis).reshape(_taken_shape(a.shape, axis, index))
        )

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        (index,) = ctx.saved_tensors
        zeros = array_ops.zeros(ctx.input_shape, ctx.dtype, grad_output)
        return array_ops.call(IndexAdd, zeros, grad_output, axis=ctx.axis, index=index)


def _taken_shape(shape: tuple[int, ...], axis: int, index: Any) -> tuple[int, ...]:
    return (
        (*shape[:axis], index.numel() if isinstance(index, Tensor) else index.size, *shape[axis + 1 :]) if shape else ()
    )


class IndexAdd(Function):
    """a with alpha · source added slice by slice; a source slice gets alpha times the upstream gradient there."""

    __slots__ = ("axis", "alpha")
    saves = ("index", "source")
    promotes = False

    @staticmethod
    def forward(ctx: Any, a: Any, source: Any, axis: int, index: Any, alpha: Any = 1) -> Any:
        _save_for_source(ctx, index, source)
        ctx.axis, ctx.alpha = axis, alpha
        result = np.array(a, order="C")
        where: Any = (slice(None),) * axis + (np.atleast_1d(array_ops.raw(index)),)
        added = source if alpha == 1 else (source * alpha).astype(a.dtype)
        np.add.at(np.atleast_1d(result), where, np.atleast_1d(added))
        return result

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        if not ctx.needs_input_grad[1]:
            return grad_output, None
        index, source = ctx.saved_tensors
        taken = array_ops.call(IndexSelect, grad_output, axis=ctx.axis, index=index).reshape(tuple(source.shape))
        return grad_output, taken if ctx.alpha == 1 else taken * ctx.alpha


def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """The slices along an axis at the numbers in `index` (int64 or int32, one axis), in a copy. IndexError for an index
    with more axes, and for a number outside; RuntimeError where the axis is the second.
    """
    axis = dtypes.axis_of(input.ndim, dim)
    if index.ndim > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    if index.dtype not in (dtypes.int32, dtypes.int64):
        raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
    if not input.ndim and index.numel() != 1:
        raise RuntimeError(f"index_select(): Index to scalar can have only 1 value, got {index.numel()} value(s)")
    size = input._array.shape[axis] if input.ndim else 1
    if not size and index.numel() and input.ndim > 1:
        raise RuntimeError("index_select(): self indexing axis dim should be positive")
    outside = index._array[(index._array < 0) | (index._array >= size)]
    if outside.size and (axis == 1 or (input.ndim > 1 and not input.numel())):  # torch has these words there only
        raise RuntimeError(f"INDICES element is out of DATA bounds, id={outside.flat[0]} axis_dim={size}")
    if outside.size:
        raise IndexError("index out of range in self")
    return IndexSelect.apply(input, axis=axis, index=index)


def index_add(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Any = 1) -> Tensor:
    """A copy with alpha · source[i] added to the slice index[i] of an axis; repeated numbers add up. RuntimeError where
    index or source do not fit, IndexError for an index with more than one axis.
    """
    axis = dtypes.axis_of(input.ndim, dim)
    if index.dtype not in (dtypes.int32, dtypes.int64):
        raise RuntimeError("index_add_(): Expected dtype int32/int64 for index")
    if source.dtype is not input.dtype:
        raise RuntimeError(
            f"index_add_(): self ({input.dtype.scalar_type}) and source ({source.dtype.scalar_type}) must have the "
            "same scalar type"
        )
    if index.ndim > 1:
        raise IndexError(
            f"index_add_(): Index is supposed to be a vector, but got dim: {index.ndim} with type: "
            f"{index.dtype.scalar_type} and size: {list(index.shape)}"
        )
    count = source._array.shape[axis] if source.ndim else 1
    if index.numel() != count:
        raise RuntimeError(
            f"index_add_(): Number of indices ({index.numel()}) should be equal to source.size(dim): ({count}), for "
            f"dim: {axis}"
        )
    own, other = ([size for i, size in enumerate(each.shape) if i != axis] for each in (input, source))
    if own != other:
        raise RuntimeError(
            "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = "
            f"{list(input.shape)} source.shape = {list(source.shape)}"
        )
    array_ops.demand_inside(index._array, axis, input._array.shape)
    return IndexAdd.apply(input, source, axis=axis, index=index, alpha=alpha)


define_all(globals(), "gather take_along_dim index_select")
define_all(globals(), "scatter scatter_add index_add", in_place=True)
