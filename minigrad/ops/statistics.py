"""What describes many entries: counts, places, quantiles, means without nan, differences, distances.
Mirrors https://docs.pytorch.org/docs/stable/torch.html#other-operations
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.compat import dtypes
from minigrad.compat.versions import refusal
from minigrad.graph import array_ops
from minigrad.ops import creation, gathering, joining, ordering, pointwise, reduction, shaping, slicing, ternary
from minigrad.ops.argument_parser import Axes, Dtype
from minigrad.ops.comparison import isnan, logical_xor
from minigrad.ops.norms import Norm
from minigrad.ops.operands import no_kernel, variant
from minigrad.ops.permuting import movedim
from minigrad.ops.registry import register
from minigrad.scalar import Function
from minigrad.tensor import Shares, Tensor, Value

Cdist = variant("Cdist", Norm)
IF_NECESSARY, ALWAYS = "use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist"
NEVER = "donot_use_mm_for_euclid_dist"
MANY_ROWS = 25  # beyond these torch computes distances through a product of matrices


class EuclideanDist(Function):
    """d = √(|x|² - 2 x·y + |y|²) for each row x of a (…, n, k) and y of b (…, m, k), all in one product of matrices, as
    torch does for many rows. dL/dx = Σ g/d · (x - y) over all y; 0 where d = 0.
    """

    saves = ("x1", "x2")

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        squares = [(item * item).sum(-1, keepdims=True) for item in (a, b)]
        left = np.concatenate((a * -2, squares[0], np.ones_like(squares[0])), -1)
        right = np.concatenate((b, np.ones_like(squares[1]), squares[1]), -1)
        product = left @ right.swapaxes(-1, -2)
        result = np.sqrt(np.maximum(product, 0, out=product), out=product)
        ctx.save_for_backward(a, b, result)
        return result

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        a, b, result = ctx.saved_tensors
        ratio = array_ops.masked(grad_output / result, array_ops.raw(result) == 0)
        turned = array_ops.swap(ratio)
        shares = [
            x * share.sum(axis=(len(x.shape) - 1,), keepdims=True) - share @ y if needed else None
            for x, y, share, needed in zip((a, b), (b, a), (ratio, turned), ctx.needs_input_grad, strict=True)
        ]
        return shares[0], shares[1]


@register("bincount")
def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """How often each of 0, 1, … is in a vector of integers, or the sum of its weights there. RuntimeError below 0."""
    array = np.asarray(input._array)
    if array.dtype.kind not in "iu":
        raise no_kernel("bincount_cpu", input.dtype)
    if array.ndim != 1 or (array < 0).any():
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if weights is None:
        return Tensor._of(np.bincount(array, None, minlength))
    kind = np.float32 if weights.dtype is dtypes.float32 else np.float64
    return Tensor._of(np.bincount(array, np.asarray(weights._array), minlength).astype(kind))


@register("isin", method=False)
def isin(elements: object, test_elements: object, *, assume_unique: bool = False, invert: bool = False) -> Tensor:
    """Which entries are among those of another tensor: bools. One of the two may be a number."""
    sought, among = [np.asarray(creation.as_tensor(item)._array) for item in (elements, test_elements)]
    return Tensor._of(np.asarray(np.isin(sought, among, invert=invert)))


@register("searchsorted", method=False)
def searchsorted(
    sorted_sequence: Tensor, input: Any, *, out_int32: bool = False, right: bool = False, side: object = None
) -> Tensor:
    """Where each entry would go into a sorted vector, or into its row of several: before equal ones, or with `right`
    after them. RuntimeError for another side, and for rows that do not fit.
    """
    if side not in (None, "left", "right"):
        raise RuntimeError(f"torch.searchsorted(): side can only be 'left' or 'right' but got {side}")
    if not isinstance(input, Tensor):
        common = dtypes.result_type(sorted_sequence._array, input)
        input = Tensor._of(np.asarray(dtypes.number_in(dtypes.plain(input), common)))
    rows, values = np.asarray(sorted_sequence._array), np.asarray(input._array)
    if rows.ndim > 1 and rows.shape[:-1] != values.shape[:-1]:
        expected = "boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries tensor and input"
        sizes = f"but we got boundaries tensor {list(rows.shape)} and input value tensor {list(values.shape)}"
        raise RuntimeError(f"torch.searchsorted(): {expected} value tensor must match, {sizes}")
    result = _places(rows, values, np.greater if right or side == "right" else np.greater_equal)
    return Tensor._of(result.astype(np.int32 if out_int32 else np.int64))


def _places(rows: np.ndarray, values: np.ndarray, beyond: Callable) -> np.ndarray:
    """Where each value belongs in its row, by halving: numpy's own search takes nan for larger than all numbers."""
    low, high = np.zeros(values.shape, np.int64), np.full(values.shape, rows.shape[-1])
    while (low < high).any():
        middle = np.minimum((low + high) // 2, rows.shape[-1] - 1)
        there = rows[middle] if rows.ndim == 1 else np.take_along_axis(rows, middle, -1)
        later = (low < high) & ~beyond(there, values)
        low, high = np.where(later, middle + 1, low), np.where(~later & (low < high), middle, high)
    return np.asarray(low)


@register("nonzero")
def nonzero(input: Tensor, *, as_tuple: bool = False) -> Tensor | tuple[Tensor, ...]:
    """Where the entries are not 0: one row of int64 per entry, or with `as_tuple` one vector per axis."""
    if as_tuple:
        return shaping.unbind(argwhere(input if input.ndim else shaping.reshape(input, (1,))), 1)
    return argwhere(input)


@register("argwhere")
def argwhere(input: Tensor) -> Tensor:
    """Where the entries are not 0: one row of int64 per entry."""
    array = np.asarray(input._array)
    found = np.array(np.nonzero(array), np.int64) if array.ndim else np.empty((0, int(array != 0)), np.int64)
    return Tensor._of(found.T)  # in memory axis by axis, as in torch


ROUNDED: dict[str, Callable] = {"linear": np.asarray, "lower": np.floor, "higher": np.ceil, "nearest": np.round}
ROUNDED["midpoint"] = lambda ranks: (np.floor(ranks) + np.ceil(ranks)) / 2


def _quantile(name: str, text: str) -> Callable[..., Tensor]:
    def quantile(
        input: Tensor,
        q: Tensor | float,
        dim: int | None = None,
        keepdim: bool = False,
        *,
        interpolation: str = "linear",
    ) -> Tensor:
        if input.dtype not in (dtypes.float32, dtypes.float64):
            raise RuntimeError("quantile() input tensor must be either float or double dtype")
        if not input.numel():
            raise RuntimeError("quantile() input tensor must be non-empty")
        if not isinstance(q, Tensor) and not 0 <= q <= 1:
            raise RuntimeError(f"quantile() q must be in the range [0, 1] but got {q:g}")
        if interpolation not in ROUNDED:
            raise RuntimeError(f"quantile() interpolation must be one of {', '.join(ROUNDED)}, not {interpolation}")
        axis = None if dim is None else dtypes.axis_of(input.ndim, dim)
        rows = shaping.flatten(input) if axis is None or not input.ndim else movedim(input, (axis,), (-1,))
        shares, unknown = np.asarray(getattr(q, "_array", q), rows.dtype.numpy), np.isnan(rows._array)
        last = rows.shape[-1] - 1 - (unknown.sum(-1, keepdims=True) if name == "nanquantile" else 0)
        ranks = np.maximum(np.atleast_1d(shares) * last, 0).astype(rows.dtype.numpy)
        if name == "quantile":
            ranks = np.where(unknown.any(-1, keepdims=True), last, ranks)  # nan comes last
        ranks = ROUNDED[interpolation](np.broadcast_to(ranks, (*rows.shape[:-1], shares.size)))
        places = [Tensor._of(item(ranks).astype(np.int64)) for item in (np.floor, np.ceil)]
        below, above = [gathering.gather(ordering.sort(rows)[0], -1, item) for item in places]
        result = ternary.lerp(below, above, Tensor._of((ranks - np.floor(ranks)).astype(rows.dtype.numpy)))
        result = movedim(result, (-1,), (0,)) if shares.ndim else shaping.SqueezeInPlace.apply(result, result.ndim - 1)
        kept = [1 if axis in (None, place) else size for place, size in enumerate(input.shape)]
        return shaping.reshape(result, (*shares.shape, *kept)) if keepdim else result

    quantile.__doc__ = f"""The entry below which a share q of all entries lies, or of those along an axis{text}. Between
    two entries the `interpolation` decides. Several q are an axis in front. RuntimeError for integers."""
    return quantile


quantile = register("quantile", _quantile("quantile", ": nan where there is one"))
nanquantile = register("nanquantile", _quantile("nanquantile", ", without those that are nan"))


@register("nanmean")
def nanmean(input: Tensor, dim: Axes | None = None, keepdim: bool = False, *, dtype: Dtype | None = None) -> Tensor:
    """The mean of the entries that are not nan, of all or along the axes `dim`. RuntimeError for integers."""
    if not input.dtype.is_floating_point:
        expected = "expected input to have floating point or complex dtype"
        raise refusal("dtypes_not_implemented")(f"nanmean(): {expected} but got {input.dtype.scalar_type}")
    known = Tensor._of(np.asarray(~isnan(input)._array))
    return pointwise.div(reduction.nansum(input, dim, keepdim, dtype=dtype), reduction.sum(known, dim, keepdim))


@register("diff")
def diff(
    input: Tensor, n: int = 1, dim: int = -1, prepend: Tensor | None = None, append: Tensor | None = None
) -> Tensor:
    """Each entry along an axis minus the one before it, n times; of bools, whether they differ."""
    if not input.ndim:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    axis = dtypes.axis_of(input.ndim, dim)
    parts = [item for item in (prepend, input, append) if item is not None]
    result = joining.cat(parts, axis) if len(parts) > 1 else input if n else shaping.Clone.apply(input)
    for _ in range(min(n, result.shape[axis])):
        later, earlier = [slicing.sliced(result, axis, item) for item in (slice(1, None), slice(None, -1))]
        result = logical_xor(later, earlier) if result.dtype is dtypes.bool_ else pointwise.sub(later, earlier)
    return result


@register("cdist", method=False)
def cdist(x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: object = IF_NECESSARY) -> Tensor:
    """The distance of each row of x1 (…, n, k) from each row of x2 (…, m, k), the p-norm of their difference. For p = 2
    and more than 25 rows through a product of matrices, as `compute_mode` can ask for or rule out. ValueError for
    another mode.
    """
    if x1.ndim < 2 or x2.ndim < 2:
        raise RuntimeError(f"cdist only supports at least 2D tensors, but got {x1.ndim}D and {x2.ndim}D")
    if x1.shape[-1] != x2.shape[-1]:
        raise RuntimeError(f"X1 and X2 must have the same number of columns. X1: {x1.shape[-1]} X2: {x2.shape[-1]}")
    if compute_mode not in (IF_NECESSARY, ALWAYS, NEVER):
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode")
    several = compute_mode == IF_NECESSARY and max(x1.shape[-2], x2.shape[-2]) > MANY_ROWS
    if p == 2 and (several or compute_mode == ALWAYS) and x1.shape[:-2] == x2.shape[:-2] and x1.numel() and x2.numel():
        found = EuclideanDist.apply(x1, x2)
        return shaping.view(found, tuple(found.shape))
    rows, others = shaping.unsqueeze(x1, -2), shaping.unsqueeze(x2, -3)
    apart = pointwise.sub(rows, others)
    return Cdist.apply(apart, p=p, axes=(apart.ndim - 1,), keepdim=False, dtype=None)
