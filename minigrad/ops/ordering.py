"""Maximum and minimum, median, sorting; and the positions of these entries.

A gradient goes to the entries that were picked. Where the result is one number (`max()`, `amax`, `median()`), equal
entries share it; if the result includes their positions (`max(dim)`, `sort`), one entry gets it.
Mirrors https://docs.pytorch.org/docs/stable/torch.html#comparison-ops
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from minigrad.compat import dtypes
from minigrad.compat.versions import refusal
from minigrad.graph import array_ops
from minigrad.ops import argument_parser, functions, gathering, return_types, where_clamp
from minigrad.ops.argument_parser import Axes
from minigrad.ops.comparison import Question
from minigrad.ops.operands import axes_of, kept_shape, no_kernel, variant
from minigrad.ops.registry import register
from minigrad.recording import saved
from minigrad.scalar import Function
from minigrad.tensor import Shares, Tensor, Value


class Max(Function, name="MaxBackward1"):
    """The largest entry, nan if there is one: the entries equal to it share the upstream gradient."""

    pick: Callable = staticmethod(np.max)

    @staticmethod
    def forward(ctx: Function, a: np.ndarray) -> np.ndarray:
        result = ctx.pick(a)
        ctx.save_for_backward(a, result)
        return result

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        a, result = [array_ops.raw(tensor) for tensor in ctx.saved_tensors]
        picked = np.isnan(a) if np.isnan(result) else a == result
        nothing = array_ops.zeros(a.shape, a.dtype, grad_output)
        return array_ops.masked(nothing, picked, grad_output / int(picked.sum()))


class Min(Max, name="MinBackward1"):
    """The smallest entry, nan if there is one: the entries equal to it share the upstream gradient."""

    pick = staticmethod(np.min)


class Median(Max):
    """The entry in the middle: the entries equal to it share the upstream gradient."""

    pick = staticmethod(lambda a: a.reshape(-1)[middle_place(a.reshape(-1), 0)[0]] if a.size else a.dtype.type("nan"))


class Amax(Function):
    """The largest entries along some axes: those equal to them share the upstream gradient."""

    pick: Callable = staticmethod(np.max)

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, axes: tuple[int, ...], keepdim: bool) -> np.ndarray:
        result = ctx.pick(a, axis=axes, keepdims=keepdim)
        ctx.save_for_backward(a, result)
        ctx.axes = axes
        return result

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        a, result = [array_ops.raw(tensor) for tensor in ctx.saved_tensors]
        kept = kept_shape(a.shape, ctx.axes)
        picked = a == result.reshape(kept)
        share = (picked / picked.sum(axis=ctx.axes, keepdims=True)).astype(a.dtype)
        return grad_output.reshape(kept) * array_ops.like(share, grad_output)


class Amin(Amax):
    """The smallest entries along some axes: those equal to them share the upstream gradient."""

    pick = staticmethod(np.min)


class Picked(Function):
    """The entries at `indices` along an axis, and the indices: each picked entry gets the upstream gradient."""

    saves = ("indices",)

    def expects(self) -> int:
        """A gradient only for the entries: their positions have none."""
        return 1

    @staticmethod
    def forward(
        ctx: Function, a: np.ndarray, indices: np.ndarray, axis: int, keepdim: bool = True
    ) -> tuple[np.ndarray, np.ndarray]:
        ctx.input_shape, ctx.axis = a.shape, axis
        ctx.save_for_backward(indices)
        values = np.atleast_1d(a)[array_ops.places(indices, axis)]
        if a.ndim == 0:
            return values.reshape(()), indices.reshape(())
        return (values, indices) if keepdim else (values.squeeze(axis), indices.squeeze(axis))

    @staticmethod
    def backward(ctx: Function, *grads: Value) -> Shares:
        grad_values, _ = grads
        (indices,) = [array_ops.raw(tensor) for tensor in ctx.saved_tensors]
        if not ctx.input_shape:
            return grad_values
        if indices.ndim < len(ctx.input_shape):
            indices = np.expand_dims(indices, ctx.axis)
        return array_ops.put(grad_values.reshape(indices.shape), indices, ctx.axis, ctx.input_shape)


class Aminmax(Function):
    """The smallest and the largest entry of all, or along an axis; those equal to them share the upstream gradient."""

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, axis: int | None, keepdim: bool) -> tuple[np.ndarray, np.ndarray]:
        ctx.axes = tuple(range(a.ndim)) if axis is None or not a.ndim else (axis,)
        low, high = [np.asarray(pick(a, axis=ctx.axes, keepdims=keepdim)) for pick in (np.min, np.max)]
        ctx.save_for_backward(a, low, high)
        return low, high

    @staticmethod
    def backward(ctx: Function, *grads: Value) -> Shares:
        a, *results = [array_ops.raw(tensor) for tensor in ctx.saved_tensors]
        kept, total = kept_shape(a.shape, ctx.axes), None
        for grad, result in zip(grads, results, strict=True):
            picked = a == result.reshape(kept)
            share = (picked / picked.sum(axis=ctx.axes, keepdims=True)).astype(a.dtype)
            part = grad.reshape(kept) * array_ops.like(share, grad)
            total = part if total is None else total + part
        return total


class Nanmedian(Median):
    """The entry in the middle of those that are not nan: the entries equal to it share the upstream gradient."""

    pick = staticmethod(
        lambda a: a.reshape(-1)[number_in_the_middle(a.reshape(-1), 0)[0]] if a.size else a.dtype.type("nan")
    )


MaxDim = variant("MaxDim", Picked, "MaxBackward0")  # The largest entries along an axis, and their positions
MinDim = variant("MinDim", Picked, "MinBackward0")  # The smallest entries along an axis, and their positions
MedianDim = variant("MedianDim", Picked, "MedianBackward1")
NanmedianDim = variant("NanmedianDim", Picked, "NanmedianBackward1")
Sort = variant("Sort", Picked)  # The sorted entries along an axis, and their old positions
StableSort = variant("StableSort", Picked, "SortBackward1")
Topk = variant("Topk", Picked)  # The largest entries along an axis, and their positions
Kthvalue, Mode = variant("Kthvalue", Picked), variant("Mode", Picked)


class Cummax(Picked):
    """The largest entries so far along an axis, and their positions: an entry gets the sum for all it is picked for."""

    @staticmethod
    def backward(ctx: Function, *grads: Value) -> Shares:
        (indices,) = ctx.saved_tensors
        zeros = array_ops.zeros(ctx.input_shape, array_ops.raw(grads[0]).dtype, grads[0])
        return array_ops.call(gathering.ScatterAdd, zeros, grads[0], axis=ctx.axis, index=indices)


Cummin = variant("Cummin", Cummax)


def with_places(
    result: type, node: type[Function], input: Tensor, dim: int, places: Callable, keepdim: bool = True
) -> return_types.Named:
    """The entries along `dim` at `places(array, axis)`, and these places, as a named pair."""
    axis = dtypes.axis_of(input.ndim, dim)
    indices = np.asarray(places(np.atleast_1d(input._array), axis), np.int64)
    values, indices = node.apply(input, indices=indices, axis=axis, keepdim=keepdim)
    if values.grad_fn is not None:
        made = values.grad_fn
        made.saved = (indices._array,)  # the tensor itself, so that changes by the program are noticed
        saved.fill(made, (indices,), made.saved, values)
    return result(values, indices)


def in_order(a: np.ndarray, axis: int, descending: bool) -> np.ndarray:
    """The positions of the sorted entries along an axis, stable for equal ones; nan counts as the largest."""
    if not descending:
        return a.argsort(axis=axis, kind="stable")
    return a.shape[axis] - 1 - np.flip(np.flip(a, axis).argsort(axis=axis, kind="stable"), axis)


LONG = 2000  # entries of a row; from here on a partition takes less time than to sort it


def largest_places(a: np.ndarray, axis: int, k: int, largest: bool) -> np.ndarray:
    """`in_order(a, axis, largest)`, the first k."""
    if not 0 < 4 * k <= a.shape[axis] or a.shape[axis] < LONG:
        return in_order(a, axis, largest).take(range(k), axis)
    bound = a.shape[axis] - k if largest else k - 1

    def of_row(row: np.ndarray) -> np.ndarray:
        last = np.partition(row, bound)[bound]
        if last != last:
            return in_order(row, 0, largest)[:k]
        found = np.flatnonzero(~(row < last) if largest else row <= last)  # nan counts as the largest
        return found[in_order(row[found], 0, largest)[:k]]

    return np.apply_along_axis(of_row, axis, a)


def nth_place(a: np.ndarray, axis: int, n: int) -> np.ndarray:
    """The position of the entry that comes n-th, counted from 0, when those along an axis are sorted, in a list."""
    if a.shape[axis] < LONG:
        return a.argsort(axis=axis, kind="stable").take([n], axis)

    def of_row(row: np.ndarray) -> list[int]:
        found = np.partition(row, n)[n]
        if found != found:
            return [row.argsort(kind="stable")[n]]
        return [np.flatnonzero(row == found)[n - np.count_nonzero(row < found)]]

    return np.apply_along_axis(of_row, axis, a)


def middle_place(a: np.ndarray, axis: int) -> np.ndarray:
    """The position of the median along an axis, the lower one of two; the first nan, if there is one."""
    place = nth_place(a, axis, (a.shape[axis] - 1) // 2)
    if a.dtype.kind != "f":
        return place
    missing = np.isnan(a)
    return np.where(missing.any(axis, keepdims=True), missing.argmax(axis, keepdims=True), place)


def number_in_the_middle(a: np.ndarray, axis: int) -> np.ndarray:
    """The position of the median along an axis of the entries that are not nan; the first one, if all are."""
    if a.dtype.kind != "f":
        return middle_place(a, axis)
    count = (~np.isnan(a)).sum(axis, keepdims=True)
    return np.take_along_axis(a.argsort(axis=axis, kind="stable"), np.maximum(count - 1, 0) // 2, axis)


def demand_entries(name: str, input: Tensor, dims: Sequence[int], how: type[Exception] = RuntimeError) -> None:
    """RuntimeError or IndexError, in torch's words, if there is nothing to pick from; dims is () for all."""
    if not dims and not input.numel():
        hint = " Specify the reduction dim with the 'dim' argument." if how is RuntimeError else ""
        raise how(f"{name}(): Expected reduction dim to be specified for input.numel() == 0.{hint}")
    for dim in dims if input.ndim else ():
        if not input.shape[dim]:
            raise IndexError(f"{name}(): Expected reduction dim {dim} to have non-zero size.")


def _extreme(
    name: str, size: str, whole: type[Function], along: type[Function], places: Callable, of_two: Callable
) -> Callable:
    """The function `max` or `min`, with its three meanings."""
    result = getattr(return_types, name)

    def extreme(
        input: Tensor, dim: Any = None, keepdim: bool = False, *, other: object = None
    ) -> Tensor | return_types.Named:
        if isinstance(dim, Tensor):
            other = dim
        if other is not None:
            return of_two(input, other)
        if dim is None:
            demand_entries(name, input, ())
            return whole.apply(input)
        if not argument_parser.is_int(dim):
            raise argument_parser.Misfit(f"{name}(): argument 'dim' must be int; see a{name} for several")
        dim = int(dim)
        demand_entries(name, input, (dtypes.axis_of(input.ndim, dim),))
        return with_places(result, along, input, dim, lambda a, axis: places(a, axis=axis, keepdims=True), keepdim)

    extreme.__doc__ = f"""The {size} entry; with `dim` the pair (values, indices) along it; with a second tensor
    `{of_two.__name__}`. RuntimeError or IndexError if there is nothing to pick from."""
    return extreme


def _amax(name: str, size: str, node: type[Amax]) -> Callable:
    def extreme(input: Tensor, dim: Axes = (), keepdim: bool = False) -> Tensor:
        axes = axes_of(input, dim)
        demand_entries(name, input, (dim,) if isinstance(dim, int) else dim)
        return node.apply(input, axes=axes, keepdim=keepdim)

    extreme.__doc__ = f"""The {size} entry of all, or along the axes `dim`; equal entries share the gradient."""
    return extreme


def _argmax(name: str, size: str, places: Callable) -> Callable:
    def place(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
        if input.dtype is dtypes.bool_:
            raise refusal("dtypes_not_implemented")(f"{name}(): does not support bool input")
        axis = None if dim is None else dtypes.axis_of(input.ndim, dim)
        demand_entries(name, input, () if axis is None else (axis,), IndexError)
        return Question.apply(input, ask=lambda a: places(a, axis=axis if a.ndim else None, keepdims=keepdim))

    place.__doc__ = f"""The position of the {size} entry, among all or along the axis `dim`; the first of equal ones."""
    return place


max = register("max", _extreme("max", "largest", Max, MaxDim, np.argmax, where_clamp.maximum))
min = register("min", _extreme("min", "smallest", Min, MinDim, np.argmin, where_clamp.minimum))
amax = register("amax", _amax("amax", "largest", Amax))
amin = register("amin", _amax("amin", "smallest", Amin))
argmax = register("argmax", _argmax("argmax", "largest", np.argmax))
argmin = register("argmin", _argmax("argmin", "smallest", np.argmin))


@register("median")
def median(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor | return_types.Named:
    """The entry in the middle, the lower one of two; or with `dim` the pair (values, indices) along it."""
    axis = None if dim is None else dtypes.axis_of(input.ndim, dim)
    if input.dtype is dtypes.bool_:
        raise no_kernel("median_cpu" if dim is None else "median_out", input.dtype)
    if axis is None:
        return Median.apply(input)
    demand_entries("median", input, (axis,))
    return with_places(return_types.median, MedianDim, input, axis, middle_place, keepdim)


@register("nanmedian")
def nanmedian(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor | return_types.Named:
    """`median` of the entries that are not nan; nan where there are none."""
    axis = None if dim is None else dtypes.axis_of(input.ndim, dim)
    if input.dtype is dtypes.bool_:
        raise no_kernel("median_cpu" if dim is None else "median_out", input.dtype)
    if axis is None:
        return Nanmedian.apply(input)
    demand_entries("median", input, (axis,))
    return with_places(return_types.nanmedian, NanmedianDim, input, axis, number_in_the_middle, keepdim)


@register("aminmax")
def aminmax(input: Tensor, *, dim: int | None = None, keepdim: bool = False) -> return_types.Named:
    """The pair (min, max) of all entries, or along an axis; equal entries share the gradient."""
    axis = None if dim is None else dtypes.axis_of(input.ndim, dim)
    if axis is None and not input.numel():
        raise RuntimeError(
            "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity."
        )
    if axis is not None and input.ndim and not input.shape[axis]:
        raise IndexError(f"aminmax: Expected reduction dim {axis} to have non-zero size.")
    return return_types.aminmax(*Aminmax.apply(input, axis=axis, keepdim=keepdim))


@register("sort")
def sort(input: Tensor, dim: int = -1, descending: bool = False, *, stable: bool | None = None) -> return_types.Named:
    """The sorted entries along an axis, and their old positions. nan comes last; equal entries keep their order."""
    node = Sort if stable is None else StableSort
    return with_places(return_types.sort, node, input, dim, lambda a, axis: in_order(a, axis, descending))


@register("argsort")
def argsort(input: Tensor, dim: int = -1, descending: bool = False, *, stable: bool = False) -> Tensor:
    """The positions of the sorted entries along an axis: int64."""
    return sort(input, dim, descending)[1]


@register("topk")
def topk(input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> return_types.Named:
    """The k largest (or smallest) entries along an axis, sorted, and their positions; the first of equal ones."""
    axis = dtypes.axis_of(input.ndim, dim)
    if not 0 <= k <= (input.shape[axis] if input.ndim else 1):
        raise RuntimeError("selected index k out of range")
    if input.dtype is dtypes.bool_:
        raise refusal("dtypes_not_implemented")("topk does not support bool dtypes on CPU")
    return with_places(return_types.topk, Topk, input, dim, lambda a, axis: largest_places(a, axis, k, largest))


@register("kthvalue")
def kthvalue(input: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> return_types.Named:
    """The k-th smallest entry along an axis, and its position: the pair (values, indices)."""
    axis = dtypes.axis_of(input.ndim, dim)
    if not 0 < k <= (input.shape[axis] if input.ndim else 1):
        raise RuntimeError(f"kthvalue(): selected number k out of range for dimension {axis}")
    places = lambda a, axis: nth_place(a, axis, k - 1)  # noqa: E731
    return with_places(return_types.kthvalue, Kthvalue, input, dim, places, keepdim)


@register("mode")
def mode(input: Tensor, dim: int = -1, keepdim: bool = False) -> return_types.Named:
    """The most frequent entry along an axis, the smallest of several, and its last position."""

    def last_place(row: np.ndarray) -> int:
        values, counts = np.unique(row, return_counts=True)
        return np.flatnonzero(row == values[counts.argmax()])[-1]

    demand_entries("mode", input, (dtypes.axis_of(input.ndim, dim),))
    places = lambda a, axis: np.expand_dims(np.apply_along_axis(last_place, axis, a), axis)  # noqa: E731
    return with_places(return_types.mode, Mode, input, dim, places, keepdim)


def _running(name: str, size: str, node: type[Picked], best: np.ufunc) -> Callable:
    def places(a: np.ndarray, axis: int) -> np.ndarray:
        """The last position so far of the extreme, which is nan once there is one."""
        steps = np.arange(a.shape[axis]).reshape([-1 if index == axis else 1 for index in range(a.ndim)])
        reached = (a == best.accumulate(a, axis)) | (np.isnan(a) if a.dtype.kind == "f" else False)
        return np.maximum.accumulate(np.where(reached, steps, 0), axis)

    def running(input: Tensor, dim: int) -> return_types.Named:
        return with_places(getattr(return_types, name), node, input, dim, places)

    running.__doc__ = f"""The {size} of an entry and all before it along an axis, and its last position so far."""
    return running


cummax = register("cummax", _running("cummax", "largest", Cummax, np.maximum))
cummin = register("cummin", _running("cummin", "smallest", Cummin, np.minimum))


class Unique(Function, name="Unique2Backward0"):
    """The distinct entries, sorted. torch gives it a node, but no derivative."""

    refused = "_unique2"

    @staticmethod
    def forward(ctx: Function, a: np.ndarray) -> tuple[np.ndarray, ...]:
        results = np.unique(a, return_inverse=True, return_counts=True, equal_nan=False)
        return tuple([np.asarray(item) for item in results])

    @staticmethod
    def backward(ctx: Function, *grads: Value) -> Shares:
        raise NotImplementedError(f"the derivative for '{ctx.refused}' is not implemented.")


@register("unique")
def unique(
    input: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False, dim: object = None
) -> Tensor | tuple[Tensor, ...]:
    """The distinct entries, sorted; on request also each input entry's position among them, and the counts."""
    if dim is not None:
        raise NotImplementedError("minigrad's unique takes no dim")
    return _asked(Unique.apply(input), return_inverse, return_counts)


class UniqueConsecutive(Unique, name="UniqueConsecutiveBackward0"):
    """The entries, or slices along an axis, that differ from the one before them. torch has no derivative for it."""

    refused = "unique_consecutive"

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, axis: int | None) -> tuple[np.ndarray, ...]:  # type: ignore[override]
        rows = a.reshape(-1) if axis is None else np.moveaxis(a, axis, 0)
        new = np.ones(len(rows), bool)
        new[1:] = (rows[1:] != rows[:-1]).any(tuple(range(1, rows.ndim)))
        starts, places = np.flatnonzero(new), np.cumsum(new) - 1
        values, inverse = (rows[new], places.reshape(a.shape)) if axis is None else (a.compress(new, axis), places)
        return values, np.asarray(inverse), np.diff(starts, append=len(rows))


@register("unique_consecutive")
def unique_consecutive(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Tensor | tuple[Tensor, ...]:
    """The entries that differ from the one before them, or the slices along `dim`; on request also each one's place
    among them, and how many follow each other. Equal entries apart from each other stay.
    """
    axis = None if dim is None else dtypes.axis_of(input.ndim, dim)
    return _asked(UniqueConsecutive.apply(input, axis=axis), return_inverse, return_counts)


def _asked(found: Iterable[Tensor], return_inverse: bool, return_counts: bool) -> Tensor | tuple[Tensor, ...]:
    """What `unique` returns of values, positions and counts."""
    values, inverse, counts = found
    asked = (values, *[inverse] * return_inverse, *[counts] * return_counts)
    return asked if len(asked) > 1 else values


functions["return_types"] = return_types
