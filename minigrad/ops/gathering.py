"""Entries picked by index along an axis, by position or by a mask, and values sent there: `gather`, `scatter`, `take`.
Picking is the reverse of adding: an entry that is picked several times gets the sum of its upstream gradients.
Mirrors https://docs.pytorch.org/docs/stable/generated/torch.gather.html and
https://docs.pytorch.org/docs/stable/generated/torch.masked_select.html
"""

from __future__ import annotations

import numpy as np

from minigrad.arithmetic import summing
from minigrad.compat import checks, dtypes
from minigrad.compat.typenames import name_of_type
from minigrad.graph import array_ops
from minigrad.graph.array_ops import raw
from minigrad.ops import indexing, where_clamp
from minigrad.ops.argument_parser import Misfit
from minigrad.ops.operands import axis_and_size, variant
from minigrad.ops.registry import register
from minigrad.scalar import Function
from minigrad.tensor import Shares, Tensor, Value, is_operand


def places(index: Value, axis: int) -> tuple:
    """Where the entries of an index tensor point: their own position, except on the axis, where the index decides."""
    return array_ops.places(np.atleast_1d(raw(index)), axis)


class Gather(Function):
    """result[i, j] = a[i, index[i, j]], along any axis: an entry gets the sum of what was picked from it."""

    saves = ("self", "index")

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, axis: int, index: np.ndarray) -> np.ndarray:
        ctx.save_for_backward(a, index)
        ctx.axis = axis
        return a[places(index, axis)].reshape(index.shape)

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        a, index = ctx.saved_tensors
        zeros = array_ops.zeros(a.shape, ctx.dtype, grad_output)
        return array_ops.call(ScatterAdd, zeros, grad_output, axis=ctx.axis, index=index)


class ScatterAdd(Function):
    """a with each entry of source added where the index points; source gets the upstream gradient of that place."""

    saves = ("index",)
    promotes = False

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, source: np.ndarray, axis: int, index: np.ndarray) -> np.ndarray:
        _save_for_source(ctx, index)
        ctx.axis = axis
        return placed(a, axis, index, source, add=True)

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        if not ctx.needs_input_grad[1]:
            return grad_output, None
        return grad_output, picked(ctx, grad_output, *ctx.saved_tensors)


class Scatter(Function):
    """a with each entry of source written where the index points; what was there gets no gradient."""

    saves = ("index",)
    promotes = False

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, source: np.ndarray, axis: int, index: np.ndarray) -> np.ndarray:
        ctx.save_for_backward(index)
        ctx.axis = axis
        return placed(a, axis, index, source)

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        (index,) = ctx.saved_tensors
        needs_a, needs_source = ctx.needs_input_grad
        grad_a = cleared(ctx, grad_output, index) if needs_a else None
        return grad_a, picked(ctx, grad_output, index) if needs_source else None


class ScatterNumber(Function, name="ScatterBackward1"):
    """a with one number written where the index points; what was there gets no gradient."""

    saves = ("index",)

    forward = staticmethod(lambda ctx, a, axis, index, value: Scatter.forward(ctx, a, value, axis, index))
    backward = staticmethod(lambda ctx, grad_output: cleared(ctx, grad_output, *ctx.saved_tensors))


def picked(ctx: Function, value: Value, index: Value) -> Value:
    """What the value, of the shape of the result, has where the index points."""
    return array_ops.call(Gather, value, axis=ctx.axis, index=index)


def cleared(ctx: Function, value: Value, index: Value) -> Value:
    """The value with 0 where the index points."""
    return array_ops.call(ScatterNumber, value, axis=ctx.axis, index=index, value=0)


REDUCTIONS = {"sum": np.add, "prod": np.multiply, "mean": np.add, "amax": np.maximum, "amin": np.minimum}


class ScatterReduce(Function):
    """What is at a place of a and every entry of source that the index sends there, reduced to one: a sum or
    mean passes the upstream gradient on as those do, the largest (smallest) entries share it. With `own` False, a
    entry of a to which something is sent does not count.
    """

    saves = ("self", "src", "index")
    promotes = False

    @staticmethod
    def forward(
        ctx: Function, a: np.ndarray, source: np.ndarray, axis: int, index: np.ndarray, reduce: str, own: bool
    ) -> np.ndarray:
        ctx.axis, ctx.reduce, ctx.own, combine, at = axis, reduce, own, REDUCTIONS[reduce], places(index, axis)
        result, sent = np.array(a, order="C"), source[tuple([slice(size) for size in index.shape])]
        if not own:  # the largest entry is not changed by one of them counted twice
            result[at] = sent if combine.identity is None else combine.identity
        combine.at(result, at, sent)
        if reduce == "mean":
            ctx.count = np.maximum(counted_at(a, at, 1, own), 1)
            result = result / ctx.count if a.dtype.kind == "f" else result // ctx.count
        ctx.save_for_backward(a, source, index, result)
        return result

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        a, source, index, result = ctx.saved_tensors
        at = places(index, ctx.axis)
        grad_a = grad_output / array_ops.like(ctx.count, grad_output) if ctx.reduce == "mean" else grad_output
        if ctx.reduce == "prod":
            grad_a, grad_source = shares_of_products(ctx, grad_output)
        elif ctx.reduce in ("sum", "mean"):
            grad_source = picked(ctx, grad_a, index)
        else:
            chosen = raw(a) == raw(result), raw(source) == raw(result)[at]
            share = grad_output / array_ops.like(counted_at(raw(a), at, chosen[1], chosen[0]), grad_output)
            mine, sent = [array_ops.like(item.astype(ctx.dtype), share) for item in chosen]
            grad_a, grad_source = mine * share, sent * picked(ctx, share, index)
        return grad_a if ctx.own else cleared(ctx, grad_a, index), grad_source


def shares_of_products(ctx: Function, grad_output: Value) -> tuple[Value, Value]:
    """For each factor the upstream gradient times the product of the others: the product, divided by it. For an entry
    of a that is 0, and for the only 0 that is sent to a place, it is the product with a 1 instead.
    """
    a, source, index, result = ctx.saved_tensors
    at, none = places(index, ctx.axis), raw(source) == 0
    part = tuple([slice(size) for size in raw(index).shape])
    alone = none & (counted_at(raw(a), at, none[part], False)[at] == 1)
    settings = {"axis": ctx.axis, "index": index, "reduce": "prod", "own": ctx.own}
    own = array_ops.masked(a, raw(a) == 0, 1)
    grad_a = grad_output * array_ops.call(ScatterReduce, own, source, **settings) / own
    rest = array_ops.call(ScatterReduce, a, array_ops.masked(source, alone, 1), **settings)
    divided = picked(ctx, grad_output * result, index) / array_ops.masked(source, none, 1)
    return grad_a, array_ops.where(alone, picked(ctx, grad_output * rest, index), divided)


def counted_at(a: np.ndarray, at: tuple, parts: np.ndarray | int, own: np.ndarray | bool) -> np.ndarray:
    """How many entries are counted at each place of a: its own, and those sent there."""
    result = np.full(a.shape, own, a.dtype)
    np.add.at(result, at, parts)
    return result


def placed(a: np.ndarray, axis: int, index: Value, values: np.ndarray, add: bool = False) -> np.ndarray:
    """A copy of a with the values (as many as index has, or one) written, or added, where the index points."""
    result = np.array(a, order="C")
    if np.ndim(values):
        values = values[tuple([slice(size) for size in index.shape])]
    if add:
        summing.add_at(result, places(index, axis), values)
    else:
        result[places(index, axis)] = values
    return result


def _save_for_source(ctx: Function, *values: object) -> None:
    """Keep what only the source's gradient needs, as torch does; nothing outside a graph."""
    if getattr(ctx, "needs_input_grad", (False, False))[1]:
        ctx.save_for_backward(*values)


@register("gather")
def gather(input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Tensor:
    """result[i, j] = input[i, index[i, j]] for dim=1, and likewise along any axis; in the shape of `index` (int64)."""
    axis = _demand_index("gather(): Expected dtype int32/int64 for index", input, dim, index)
    _demand_same_axes(input, index, "input")
    for i in _too_large(index, input, axis):
        room = f"expected index {list(index.shape)} to be no larger than self {list(input.shape)}"
        raise RuntimeError(f"Size does not match at dimension {i} {room} apart from dimension {axis}")
    array_ops.demand_inside(index._array, axis, input._array.shape)
    return Gather.apply(input, axis=axis, index=index)


@register("scatter", in_place=True)
def scatter(
    input: Tensor, dim: int, index: Tensor, src: object = None, *, value: object = None, reduce: object = None
) -> Tensor:
    """A copy with result[i, index[i, j]] = src[i, j] for dim=1, likewise along any axis; `src` may be one number."""
    if reduce is not None:
        raise NotImplementedError("minigrad's scatter() writes; use scatter_add() to add")
    source = value if src is None else src
    if not is_operand(source):
        raise Misfit(f"scatter(): argument 'src' must be Tensor or Number, not {name_of_type(source)}")
    axis = _demand_scatter("scatter", input, dim, index, source)
    if isinstance(source, Tensor):
        return Scatter.apply(input, source, axis=axis, index=index)
    return ScatterNumber.apply(input, axis=axis, index=index, value=dtypes.plain(source))


@register("scatter_add", in_place=True)
def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """A copy with src[i, j] added to [i, index[i, j]] for dim=1, likewise along any axis. Errors as for `scatter`."""
    axis = _demand_scatter("scatter", input, dim, index, src)
    return ScatterAdd.apply(input, src, axis=axis, index=index)


@register("scatter_reduce", in_place=True)
def scatter_reduce(
    input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """A copy in which each entry is the "sum", "prod", "mean", "amax" or "amin" of itself and of what `scatter` would
    write there; of the latter alone, where there is any, without `include_self`. Errors as for `scatter`.
    """
    axis = _demand_scatter("scatter", input, dim, index, src)
    if reduce not in REDUCTIONS:
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    return ScatterReduce.apply(input, src, axis=axis, index=index, reduce=reduce, own=include_self)


IndexFill = variant("IndexFill", where_clamp.MaskedFill)
IndexFillTensor = variant("IndexFillTensor", where_clamp.MaskedFillTensor, "IndexFillBackward1")


@register("index_fill", in_place=True)
def index_fill(input: Tensor, dim: int, index: Tensor, value: object) -> Tensor:
    """A copy with one number, or a tensor without axes, in the slices of an axis that the index (int64) names."""
    axis, size = axis_and_size(input, dim)
    if index.dtype is not dtypes.int64:
        raise IndexError("index_fill_(): Expected dtype int64 for index.")
    numbers = np.asarray(index._array)
    demand_within(numbers, size, f"dimension {axis} with size {size}")
    mask = np.zeros(size, bool)
    mask[numbers] = True
    results = Tensor._of(mask.reshape([-1 if index == axis else 1 for index in range(input.ndim)]))
    if isinstance(value, Tensor):
        return IndexFillTensor.apply(input, value, mask=results)
    return IndexFill.apply(input, mask=results, value=dtypes.number_in(dtypes.plain(value), input.dtype))


def _demand_index(text: str, input: Tensor, dim: int, index: Tensor) -> int:
    """The axis. RuntimeError, with the text, if the index does not hold integers."""
    axis = axis_and_size(input, dim)[0]
    if index.dtype not in (dtypes.int32, dtypes.int64):
        raise RuntimeError(text)
    return axis


def _demand_scatter(name: str, input: Tensor, dim: int, index: Tensor, source: object) -> int:
    """The axis. RuntimeError, in torch's words, if index or source do not fit."""
    axis = _demand_index(f"{name}(): Expected dtype int32/int64 for index", input, dim, index)
    room = f"no larger than self {list(input.shape)} apart from dimension {axis}"
    _demand_same_axes(input, index, "self")
    small = _too_large(index, input, axis)
    if isinstance(source, Tensor):
        if source.dtype is not input.dtype:
            raise RuntimeError(f"{name}(): Expected self.dtype to be equal to src.dtype")
        _demand_same_axes(source, index, "src")
        small += _too_large(index, source, -1)
        room += f" and to be no larger size than src {list(source.shape)}"
    if small and index.numel():
        raise RuntimeError(f"Expected index {list(index.shape)} to be {room}")
    array_ops.demand_inside(index._array, axis, input._array.shape)
    return axis


def demand_within(numbers: np.ndarray, size: int, where: str) -> None:
    """IndexError unless all numbers, counted from the end if negative, are below the size."""
    outside = numbers[(numbers < -size) | (numbers >= size)]
    if outside.size:
        raise IndexError(f"index {outside.flat[0]} is out of bounds for {where}")


def _demand_same_axes(tensor: Tensor, index: Tensor, word: str) -> None:
    if index.numel() and max(tensor.ndim, 1) != max(index.ndim, 1):
        raise RuntimeError(f"Index tensor must have the same number of dimensions as {word} tensor")


def _too_large(index: Tensor, tensor: Tensor, axis: int) -> list[int]:
    """The axes, except one, along which the index has more entries than the tensor."""
    sizes = enumerate(zip(index.shape, tensor.shape, strict=False))
    return [i for i, (have, room) in sizes if i != axis and have > room]


class IndexSelect(Function):
    """The slices of a at the numbers in index: a slice gets the sum of what was taken from it."""

    saves = ("index",)

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, axis: int, index: np.ndarray) -> np.ndarray:
        ctx.save_for_backward(index)
        ctx.axis, ctx.input_shape = axis, a.shape
        return a.take(np.atleast_1d(raw(index)), axis)

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        (index,) = ctx.saved_tensors
        zeros = array_ops.zeros(ctx.input_shape, ctx.dtype, grad_output)
        return array_ops.call(IndexAdd, zeros, grad_output, axis=ctx.axis, index=index)


class IndexAdd(Function):
    """a with alpha · source added slice by slice; a source slice gets alpha times the upstream gradient there."""

    saves = ("index", "source")
    promotes = False

    @staticmethod
    def forward(
        ctx: Function, a: np.ndarray, source: np.ndarray, axis: int, index: np.ndarray, alpha: float = 1
    ) -> np.ndarray:
        _save_for_source(ctx, index, source)
        ctx.axis, ctx.alpha = axis, alpha
        result = np.array(a, order="C")
        where: tuple = (slice(None),) * axis + (np.atleast_1d(raw(index)),)
        added = source if alpha == 1 else (source * alpha).astype(a.dtype)
        summing.add_at(result, where, added)
        return result

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        if not ctx.needs_input_grad[1]:
            return grad_output, None
        index, source = ctx.saved_tensors
        taken = array_ops.call(IndexSelect, grad_output, axis=ctx.axis, index=index).reshape(tuple(source.shape))
        return grad_output, taken if ctx.alpha == 1 else taken * ctx.alpha


@register("index_select")
def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """The slices along an axis at the numbers in `index`, a vector, in a copy. IndexError for a number outside."""
    if index.ndim > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    axis = _demand_index("index_select(): Expected dtype int32 or int64 for index", input, dim, index)
    size = input._array.shape[axis]
    if ((index._array < 0) | (index._array >= size)).any():
        raise IndexError("index out of range in self")
    return IndexSelect.apply(input, axis=axis, index=index)


@register("index_add", in_place=True)
def index_add(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: object = 1) -> Tensor:
    """A copy with alpha · source[i] added to the slice index[i] of an axis; repeated numbers add up."""
    axis = _demand_index("index_add_(): Expected dtype int32/int64 for index", input, dim, index)
    if source.dtype is not input.dtype:
        kinds = f"self ({input.dtype.scalar_type}) and source ({source.dtype.scalar_type})"
        raise RuntimeError(f"index_add_(): {kinds} must have the same scalar type")
    count = source._array.shape[axis] if source.ndim else 1
    if index.numel() != count:
        wrong = f"Number of indices ({index.numel()}) should be equal to source.size(dim): ({count})"
        raise RuntimeError(f"index_add_(): {wrong}, for dim: {axis}")
    array_ops.demand_inside(index._array, axis, input._array.shape)
    return IndexAdd.apply(input, source, axis=axis, index=index, alpha=alpha)


class Take(Function):
    """Entries by position when a is read row by row: an entry gets the sum of what was taken from it."""

    saves = ("self", "index")

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, index: np.ndarray) -> np.ndarray:
        ctx.save_for_backward(a, index)
        return np.asarray(a).reshape(-1)[raw(index)]

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        a, index = ctx.saved_tensors
        shape = a.shape or (1,)
        at = indexing.Lookup(np.unravel_index(raw(index) % raw(a).size, shape), ())
        return array_ops.call(PutTaken, grad_output, shape=shape, index=at)


class MaskedSelect(Function):
    """The entries where the mask holds, as a vector: they get the upstream gradient, all others 0."""

    saves = ("self", "mask")

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, mask: np.ndarray) -> np.ndarray:
        ctx.save_for_backward(a, mask)
        a, mask = np.broadcast_arrays(a, raw(mask))
        return a[mask]

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        a, mask = ctx.saved_tensors
        shape = np.broadcast_shapes(a.shape, mask.shape)
        at = indexing.Lookup((np.broadcast_to(raw(mask), shape),), ())
        return array_ops.call(PutMasked, grad_output, shape=shape, index=at)


PutTaken = variant("PutTaken", indexing.AddAt, "PutBackward0")
PutMasked = variant("PutMasked", indexing.AddAt, "MaskedScatterBackward0")


@register("take")
def take(input: Tensor, index: Tensor) -> Tensor:
    """The entries with these numbers (int64) when the tensor is read row by row, in the shape of `index`."""
    if index.dtype is not dtypes.int64:
        raise RuntimeError(f"take(): Expected a long tensor for index, but got {index.dtype.scalar_type}")
    demand_within(np.asarray(index._array), input.numel(), f"a tensor of {input.numel()} elements")
    return Take.apply(input, index=index)


@register("masked_select")
def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """The entries where `mask` (bool, broadcastable to the input's shape) holds, as a vector."""
    if mask.dtype is not dtypes.bool_:
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    checks.demand_broadcast([mask._array, input._array])
    return MaskedSelect.apply(input, mask=mask)
