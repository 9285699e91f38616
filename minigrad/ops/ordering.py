"""The largest and the smallest, the one in the middle, all in order; and where they stand.

A gradient goes to the entries that were picked. Where the result is one number (`max()`, `amax`, `median()`), equal
entries share it; where their places are told as well (`max(dim)`, `sort`), one entry gets it.

Mirrors https://docs.pytorch.org/docs/stable/torch.html#comparison-ops
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minigrad.compat import dtypes
from minigrad.ops import argument_parser, functions, return_types, where_clamp
from minigrad.ops.argument_parser import Ints
from minigrad.ops.axes import axes_of, kept_shape
from minigrad.ops.comparison import Question
from minigrad.ops.operands import no_kernel, variant
from minigrad.ops.registry import define_all
from minigrad.runtime import array_ops, saved
from minigrad.scalar import Function
from minigrad.tensor import Tensor


class Max(Function, name="MaxBackward1"):
    """The largest entry, nan if there is one: the entries equal to it share the upstream gradient."""

    __slots__ = ()
    pick: Callable[[Any], Any] = staticmethod(np.max)

    @staticmethod
    def forward(ctx: Any, a: Any) -> Any:
        result = ctx.pick(a)
        ctx.save_for_backward(a, result)
        return result

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, result = [array_ops.raw(each) for each in ctx.saved_tensors]
        picked = np.isnan(a) if np.isnan(result) else a == result
        nothing = array_ops.zeros(a.shape, a.dtype, grad_output)
        return array_ops.masked(nothing, picked, grad_output / int(picked.sum()))


class Min(Max, name="MinBackward1"):
    """The smallest entry, nan if there is one: the entries equal to it share the upstream gradient."""

    __slots__ = ()
    pick = staticmethod(np.min)


class Median(Max):
    """The entry in the middle: the entries equal to it share the upstream gradient."""

    __slots__ = ()
    pick = staticmethod(lambda a: middle(a.reshape(-1)))


class Amax(Function):
    """The largest entries along some axes: those equal to them share the upstream gradient."""

    __slots__ = ("axes",)
    pick: Callable[..., Any] = staticmethod(np.max)

    @staticmethod
    def forward(ctx: Any, a: Any, axes: tuple[int, ...], keepdim: bool) -> Any:
        result = ctx.pick(a, axis=axes, keepdims=keepdim)
        ctx.save_for_backward(a, result)
        ctx.axes = axes
        return result

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, result = [array_ops.raw(each) for each in ctx.saved_tensors]
        kept = kept_shape(a.shape, ctx.axes)
        picked = a == result.reshape(kept)
        share = (picked / picked.sum(axis=ctx.axes, keepdims=True)).astype(a.dtype)
        return grad_output.reshape(kept) * array_ops.like(share, grad_output)


class Amin(Amax):
    """The smallest entries along some axes: those equal to them share the upstream gradient."""

    __slots__ = ()
    pick = staticmethod(np.min)


def middle(entries: np.ndarray) -> Any:
    """The median of a vector, the lower one of two; nan if there is one, or nothing at all."""
    if not entries.size:
        return np.array(np.nan).astype(entries.dtype)
    return np.sort(entries)[-1 if np.isnan(entries).any() else (entries.size - 1) // 2]


class Picked(Function):
    """The entries at `indices` along an axis, and the indices: each picked entry gets the upstream gradient."""

    __slots__ = ("input_shape", "axis")
    saves = ("indices",)

    def expects(self) -> int:
        """A gradient for the entries alone: their places have none."""
        return 1

    @staticmethod
    def forward(ctx: Any, a: Any, indices: np.ndarray, axis: int, keepdim: bool = True) -> Any:
        ctx.input_shape, ctx.axis = a.shape, axis
        ctx.save_for_backward(indices)
        values = np.take_along_axis(np.atleast_1d(a), indices, axis)
        if a.ndim == 0:
            return values.reshape(()), indices.reshape(())
        return (values, indices) if keepdim else (values.squeeze(axis), indices.squeeze(axis))

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        grad_values, _ = grads
        (indices,) = [array_ops.raw(each) for each in ctx.saved_tensors]
        if not ctx.input_shape:
            return grad_values
        if indices.ndim < len(ctx.input_shape):
            indices = np.expand_dims(indices, ctx.axis)
        return array_ops.put(grad_values.reshape(indices.shape), indices, ctx.axis, ctx.input_shape)


MaxDim = variant("MaxDim", Picked, "MaxBackward0")  # The largest entries along an axis, and where they stand
MinDim = variant("MinDim", Picked, "MinBackward0")  # The smallest entries along an axis, and where they stand
MedianDim = variant("MedianDim", Picked, "MedianBackward1")
Sort = variant("Sort", Picked)  # The entries along an axis in order, and where they stood
StableSort = variant("StableSort", Picked, "SortBackward1")
Topk = variant("Topk", Picked)  # The largest entries along an axis, and where they stand


def picked(
    result: type, node: type[Picked], input: Tensor, dim: int, places: Callable[[Any, int], Any], keepdim: bool = True
) -> Any:
    """The entries along `dim` at `places(array, axis)`, and these places, as a named pair."""
    axis = dtypes.axis_of(input.ndim, dim)
    indices = np.asarray(places(np.atleast_1d(input._array), axis), np.int64)
    values, indices = node.apply(input, indices=indices, axis=axis, keepdim=keepdim)
    if values.grad_fn is not None:
        made = values.grad_fn
        made.saved = (indices._array,)  # the tensor itself: it is noticed if the program changes it
        saved.keep(made, (indices,), made.saved, values)
    return result(values, indices)


def in_order(a: np.ndarray, axis: int, descending: bool) -> np.ndarray:
    """The places of the entries in order along an axis, equal ones as they stood; nan counts as the largest."""
    if not descending:
        return a.argsort(axis=axis, kind="stable")
    return a.shape[axis] - 1 - np.flip(np.flip(a, axis).argsort(axis=axis, kind="stable"), axis)


def middle_place(a: np.ndarray, axis: int) -> np.ndarray:
    """Where the median stands along an axis, the lower one of two; the first nan, if there is one."""
    place = a.argsort(axis=axis, kind="stable").take([(a.shape[axis] - 1) // 2], axis)
    if a.dtype.kind != "f":
        return place
    missing = np.isnan(a)
    return np.where(missing.any(axis, keepdims=True), missing.argmax(axis, keepdims=True), place)


def demand_entries(name: str, input: Tensor, dims: Sequence[int], how: type[Exception] = RuntimeError) -> None:
    """RuntimeError or IndexError, in torch's words, if there is nothing to pick from; dims is () for all."""
    if not dims and not input.numel():
        hint = " Specify the reduction dim with the 'dim' argument." if how is RuntimeError else ""
        raise how(f"{name}(): Expected reduction dim to be specified for input.numel() == 0.{hint}")
    for each in dims if input.ndim else ():
        if not input.shape[each]:
            raise IndexError(f"{name}(): Expected reduction dim {each} to have non-zero size.")


def _extreme(name: str, whole: type[Function], along: type[Picked], places: Callable, other_form: str) -> Callable:
    """The function `max` or `min`, with its three meanings."""
    result = getattr(return_types, name)

    def extreme(input: Tensor, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
        if isinstance(dim, Tensor):
            other = dim
        if other is not None:
            return getattr(where_clamp, other_form)(input, other)
        if dim is None:
            demand_entries(name, input, ())
            return whole.apply(input)
        if not argument_parser.is_int(dim):
            raise argument_parser.Misfit(f"{name}(): argument 'dim' must be int; see a{name} for several")
        dim = int(dim)
        demand_entries(name, input, (dtypes.axis_of(input.ndim, dim),))
        return picked(result, along, input, dim, lambda a, axis: places(a, axis=axis, keepdims=True), keepdim)

    return extreme


max = _extreme("max", Max, MaxDim, np.argmax, "maximum")
max.__doc__ = """The largest entry; with `dim` the pair (values, indices) along it; with a second tensor `maximum`.

    RuntimeError or IndexError where there is nothing to pick from."""
min = _extreme("min", Min, MinDim, np.argmin, "minimum")
min.__doc__ = """The smallest entry; with `dim` the pair (values, indices) along it; with a second tensor `minimum`.

    RuntimeError or IndexError where there is nothing to pick from."""


def _amax(name: str, node: type[Amax]) -> Callable:
    def extreme(input: Tensor, dim: int | Ints = (), keepdim: bool = False) -> Tensor:
        axes = axes_of(input, dim)
        demand_entries(name, input, (dim,) if isinstance(dim, int) else dim)
        return node.apply(input, axes=axes, keepdim=keepdim)

    extreme.__doc__ = f"""The {"largest" if node is Amax else "smallest"} entry of all, or along the axes `dim`.

    Equal entries share the gradient. RuntimeError or IndexError where there is nothing to pick from."""
    return extreme


amax = _amax("amax", Amax)
amin = _amax("amin", Amin)


def _argmax(name: str, places: Callable) -> Callable:
    def place(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
        if input.dtype is dtypes.bool_:
            raise RuntimeError(f"{name}(): does not support bool input")
        axis = None if dim is None else dtypes.axis_of(input.ndim, dim)
        demand_entries(name, input, () if axis is None else (axis,), IndexError)
        return Question.apply(input, ask=lambda a: places(a, axis=axis if a.ndim else None, keepdims=keepdim))

    place.__doc__ = f"""Where the {"largest" if places is np.argmax else "smallest"} entry stands, among all or along \
the axis `dim`; the first one of equals.

    int64. RuntimeError for bools, IndexError where there is nothing to pick from."""
    return place


argmax = _argmax("argmax", np.argmax)
argmin = _argmax("argmin", np.argmin)


def median(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """The entry in the middle, the lower one of two; or with `dim` the pair (values, indices) along it.
    NotImplementedError for bools, IndexError for an axis without entries.
    """
    axis = None if dim is None else dtypes.axis_of(input.ndim, dim)
    if input.dtype is dtypes.bool_:
        raise no_kernel("median_cpu" if dim is None else "median_out", input.dtype)
    if axis is None:
        return Median.apply(input)
    demand_entries("median", input, (axis,))
    return picked(return_types.median, MedianDim, input, axis, middle_place, keepdim)


def sort(input: Tensor, dim: int = -1, descending: bool = False, *, stable: bool | None = None) -> Any:
    """The entries in order along an axis, and where they stood: the pair (values, indices). nan comes last."""
    node = Sort if stable is None else StableSort
    return picked(return_types.sort, node, input, dim, lambda a, axis: in_order(a, axis, descending))


def argsort(input: Tensor, dim: int = -1, descending: bool = False, *, stable: bool = False) -> Tensor:
    """Where the entries in order along an axis stand: int64."""
    return sort(input, dim, descending).indices


def topk(input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    """The k largest (or smallest) entries along an axis, in order, and where they stand: the pair (values, indices). Of
    equal entries the first are taken; torch's choice is its own. RuntimeError if there are not k.
    """
    axis = dtypes.axis_of(input.ndim, dim)
    if not 0 <= k <= (input.shape[axis] if input.ndim else 1):
        raise RuntimeError("selected index k out of range")
    if input.dtype is dtypes.bool_:
        raise RuntimeError("topk does not support bool dtypes on CPU")
    return picked(return_types.topk, Topk, input, dim, lambda a, axis: in_order(a, axis, largest).take(range(k), axis))


class Unique(Function, name="Unique2Backward0"):
    """The different entries in order. torch gives it a node, but no derivative."""

    __slots__ = ()

    @staticmethod
    def forward(ctx: Any, a: Any) -> Any:
        return tuple([np.asarray(each) for each in np.unique(a, return_inverse=True, return_counts=True)])

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        raise NotImplementedError("the derivative for '_unique2' is not implemented.")


def unique(
    input: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False, dim: Any = None
) -> Any:
    """The different entries, in order; also where each entry of input is among them, and how often each occurs.
    NotImplementedError for `dim`, and in a backward pass.
    """
    if dim is not None:
        raise NotImplementedError("minigrad's unique takes no dim")
    values, inverse, counts = Unique.apply(input)
    results = (values, *((inverse,) if return_inverse else ()), *((counts,) if return_counts else ()))
    return results if len(results) > 1 else values


define_all(globals(), "max min amax amin argmax argmin median sort argsort topk unique")
functions["return_types"] = return_types  # type: ignore[assignment]
