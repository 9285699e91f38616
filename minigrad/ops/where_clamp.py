"""Choosing between values, entry by entry: where, masks, limits, the larger of two; and picking by a mask.

The gradient goes to the value chosen. At a tie, and on a limit, it is a convention, which torch has changed: see
`compat/versions.py`.
Mirrors https://docs.pytorch.org/docs/stable/generated/torch.where.html
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from minigrad.arithmetic.blocks import chosen
from minigrad.compat import dtypes
from minigrad.compat.versions import changed
from minigrad.graph import array_ops
from minigrad.ops.argument_parser import Misfit
from minigrad.ops.operands import Number, beside, common_dtype, demand_one_shape, variant
from minigrad.ops.registry import register
from minigrad.scalar import Function
from minigrad.tensor import Shares, Tensor, Value

Limit: TypeAlias = np.ndarray | float | None  # none: nothing is too small, or too large


class Where(Function):
    """a where the condition holds, else b: the upstream gradient goes to the one chosen. The condition is saved."""

    saves = ("condition",)

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, b: np.ndarray, condition: Tensor) -> np.ndarray:
        ctx.save_for_backward(condition)  # not an input in the graph, but freed and guarded like one
        return chosen(condition._array, a, b)

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        (condition,) = ctx.saved_tensors
        needs_a, needs_b = ctx.needs_input_grad
        grad_b = array_ops.where(condition, 0, grad_output) if needs_b else None
        return array_ops.where(condition, grad_output, 0) if needs_a else None, grad_b


@register("where", method=False)
def where(condition: Tensor, input: Tensor | Number | None = None, other: Tensor | Number | None = None) -> Any:
    """input where the condition (bools) holds, else other; for just a condition, where it holds, like `nonzero`."""
    if input is None and other is None:
        return tuple([Tensor._of(item) for item in np.array(np.nonzero(np.atleast_1d(condition._array)))])
    if input is None or other is None:
        raise Misfit("where() takes both 'input' and 'other', or neither; one is missing")
    if condition.dtype is not dtypes.bool_:
        dtype = condition.dtype.scalar_type
        raise RuntimeError(f"where expected condition to be a boolean tensor, but got a tensor with dtype {dtype}")
    demand_one_shape(condition, input, other)
    if not isinstance(input, Tensor) and not isinstance(other, Tensor):
        input = Tensor._of(np.asarray(input, common_dtype(input, other).numpy))
    return Where.apply(input, other, condition=condition)


@register("where", function=False)
def where_of(input: Tensor, condition: Tensor, other: Tensor | Number) -> Tensor:
    """`input.where(condition, other)`: the entries of input where the condition holds, else those of other."""
    return where(condition, input, other)


class MaskedFill(Function):
    """A number where the mask holds, else a: there the upstream gradient is lost. The mask is saved."""

    saves = ("mask",)

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, mask: Tensor, value: np.ndarray) -> np.ndarray:
        ctx.save_for_backward(mask)
        return np.asarray(chosen(mask._array, np.asarray(value).astype(a.dtype), a), order="C")

    backward = staticmethod(lambda ctx, grad_output: array_ops.masked(grad_output, *ctx.saved_tensors))


class MaskedFillTensor(Function, name="MaskedFillBackward1"):
    """The entry of `value` (without axes) where the mask holds, else a: value gets the sum of the gradients a loses."""

    saves = ("mask",)
    promotes = False

    forward = staticmethod(lambda ctx, a, value, mask: MaskedFill.forward(ctx, a, mask, value))

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        (mask,) = ctx.saved_tensors
        grad_value = array_ops.where(mask, grad_output, 0).sum() if ctx.needs_input_grad[1] else None
        return array_ops.masked(grad_output, mask) if ctx.needs_input_grad[0] else None, grad_value


@register("masked_fill", in_place=True)
def masked_fill(input: Tensor, mask: Tensor, value: Tensor | Number) -> Tensor:
    """value (a number, or a tensor without axes) where the mask (bools) holds, else input; its dtype stays."""
    if mask.dtype is not dtypes.bool_:
        raise RuntimeError(f"masked_fill_ only supports boolean masks, but got mask with dtype {mask.dtype.cpp_name}")
    if isinstance(value, Tensor) and value.ndim:
        expected = "masked_fill_ only supports a 0-dimensional value tensor"
        raise RuntimeError(f"{expected}, but got tensor with {value.ndim} dimension(s).")
    demand_one_shape(mask, input)
    if isinstance(value, Tensor):
        return MaskedFillTensor.apply(input, value, mask=mask)
    return MaskedFill.apply(input, mask=mask, value=dtypes.number_in(dtypes.plain(value), input.dtype))


class NanToNum(Function):
    """nan and infinities replaced by numbers: d/da = 1 for the finite entries, else 0."""

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, nan: float, posinf: float | None, neginf: float | None) -> np.ndarray:
        ctx.save_for_backward(a)
        return np.nan_to_num(a, nan=nan, posinf=posinf, neginf=neginf)

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        finite = np.isfinite(array_ops.raw(*ctx.saved_tensors)).astype(ctx.dtype)
        return grad_output * array_ops.like(finite, grad_output)


@register("nan_to_num", in_place=True, in_place_function=True)
def nan_to_num(input: Tensor, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None) -> Tensor:
    """nan, inf and -inf replaced, by default with 0 and the largest and smallest number of the dtype."""
    return NanToNum.apply(input, nan=nan or 0.0, posinf=posinf, neginf=neginf)


class Clamp(Function, name="ClampBackward1"):
    """a, but not below `low` nor above `high` (numbers, or None): d/da = 1 for low < a < high, else 0. On a bound it is
    a convention, which torch 2.14 changed: 1 before, 0 since.
    """

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, low: float | None, high: float | None) -> np.ndarray:
        ctx.save_for_backward(a)
        ctx.low, ctx.high = low, high
        return limited(a, low, high)

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        (a,) = ctx.saved_tensors
        kept = within if changed("clamp_number_bound") else inside
        return array_ops.where(kept(array_ops.raw(a), ctx.low, ctx.high), grad_output, 0)


ClampMin = variant("ClampMin", Clamp, "ClampMinBackward0")  # a, but not below a number
ClampMax = variant("ClampMax", Clamp, "ClampMaxBackward0")  # a, but not above a number


class ClampTensors(Function, name="ClampBackward0"):
    """a, but not below `low` nor above `high` (tensors, or None): whichever was chosen gets the upstream gradient. At a
    tie that was a; since torch 2.14, a and the bound get half each. A `high` below `low` is chosen everywhere.
    """

    saves: tuple[str, ...] = ("self", "min", "max")
    promotes = False
    given: tuple[int, ...] = (0, 1, 2)  # which of a, low and high are its inputs

    @staticmethod
    def forward(ctx: Function, *inputs: np.ndarray) -> np.ndarray:
        ctx.save_for_backward(*inputs)
        met = iter(dtypes.promoted([value for value in inputs if value is not None]))
        return limited(*_three(ctx, [value if value is None else next(met) for value in inputs]))

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        three = _three(ctx, [array_ops.raw(tensor) for tensor in ctx.saved_tensors])
        wholes, halves = (ties_shared if changed("clamp_tensor_bound") else ties_to_the_input)(*three)
        needs = zip(ctx.given, ctx.needs_input_grad, strict=True)
        return tuple([_share(grad_output, wholes[place], halves) if needed else None for place, needed in needs])


class ClampMinTensor(ClampTensors, name="ClampMinBackward1"):
    """a, but not below a tensor: see `ClampTensors`."""

    saves, given = ("self", "min"), (0, 1)


class ClampMaxTensor(ClampTensors, name="ClampMaxBackward1"):
    """a, but not above a tensor: see `ClampTensors`."""

    saves, given = ("self", "max"), (0, 2)


def _three(ctx: Function, inputs: list) -> list:
    """a, low and high, None for a limit that is not there."""
    results = dict(zip(ctx.given, inputs, strict=True))
    return [results.get(place) for place in range(3)]


def ties_to_the_input(a: np.ndarray, low: Any, high: Any) -> tuple[list, None]:
    """Where a, low and high get the upstream gradient, and where half of it, None: nowhere. Up to torch 2.13."""
    both = low is not None and high is not None
    below = (a < low) & (low < high if both else True) if low is not None else None
    above = (a > high) | (high < low if both else False) if high is not None else None
    return [inside(a, low, high), below, above], None


def ties_shared(a: np.ndarray, low: Any, high: Any) -> tuple[list, np.ndarray]:
    """The same since torch 2.14: half each where a equals a bound, unless all three are equal. nan is not ordered, so
    whatever is not below or above something gets all.
    """
    if low is None or high is None:
        bound, lost, kept = (low, np.less, np.greater) if high is None else (high, np.greater, np.less)
        to_bound = ~kept(a, bound)
        return [~lost(a, bound), to_bound if high is None else None, to_bound if low is None else None], a == bound
    apart = low < high
    low_tie, high_tie = (a == low) & apart, (a == high) & apart
    below, above = (a < low) & (low <= high), (a > high) & (low <= high)
    return [~((a < low) | (a > high)), below | low_tie, above | (high < low) | high_tie], low_tie | high_tie


def _share(grad_output: Value, whole: np.ndarray, halves: np.ndarray | None) -> Value:
    """The upstream gradient where `whole` holds, else 0; half of it where `halves` holds as well. By torch's steps."""
    if halves is None:
        return array_ops.where(whole, grad_output, 0)
    return array_ops.masked(array_ops.where(halves, grad_output / 2, grad_output), ~whole)


def limited(a: np.ndarray, low: Limit, high: Limit) -> np.ndarray:
    """An array, but not below `low` nor above `high`."""
    if low is not None:
        a = np.maximum(low, a)
    return a if high is None else np.minimum(high, a)


def inside(a: np.ndarray, low: Limit, high: Limit) -> Any:
    """Where an array is neither below `low` nor above `high`."""
    return (True if low is None else a >= low) & (True if high is None else a <= high)


def within(a: np.ndarray, low: Limit, high: Limit) -> Any:
    """Where an array is above `low` and below `high`."""
    return (True if low is None else a > low) & (True if high is None else a < high)


@register("clamp", alias="clip", in_place=True, in_place_function=True)
def clamp(input: Tensor, min: Tensor | Number | None = None, max: Tensor | Number | None = None) -> Tensor:
    """input, but not below min nor above max: two numbers or two tensors, one of which may be missing."""
    limits = [item for item in (min, max) if item is not None]
    if not limits:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    if all(isinstance(limit, dtypes.NUMBERS) for limit in limits):
        return _by_numbers(Clamp, input, min, max)
    if not all(isinstance(limit, Tensor) for limit in limits):
        raise Misfit("clamp(): min and max must be two numbers or two tensors")
    demand_one_shape(input, *limits)
    return ClampTensors.apply(input, min, max)


def _by_numbers(node: type[Clamp], input: Tensor, low: Any, high: Any) -> Tensor:
    """The tensor in the dtype in which it meets the limits, kept within them."""
    met = beside(input, *[item for item in (low, high) if item is not None])
    if met.dtype.kind == dtypes.INTEGER:
        low, high = _whole_limits(met.dtype, low, high)
    else:
        for item in (low, high):
            if item is not None:
                dtypes.number_in(item, met.dtype)
    return node.apply(met, low=low, high=high)


def _whole_limits(dtype: dtypes.dtype, low: Number | None, high: Number | None) -> tuple[Number | None, ...]:
    """The limits as numbers of a dtype of integers, None for one that limits nothing. RuntimeError for one that the
    dtype cannot hold: since torch 2.15 only if it would be the result.
    """
    if not changed("clamp_outside_dtype"):
        return tuple([item if item is None else dtypes.number_in(item, dtype) for item in (low, high)])
    least, most = np.iinfo(dtype.numpy).min, np.iinfo(dtype.numpy).max
    if low is not None and low > most:
        raise RuntimeError(f"Clamp min value {low} is outside the representable range of {dtype.scalar_type}")
    if high is not None and high < least:
        raise RuntimeError(f"Clamp max value {high} is outside the representable range of {dtype.scalar_type}")
    return None if low is None or low < least else low, None if high is None or high > most else high


@register("clamp_min", in_place=True, in_place_function=True)
def clamp_min(input: Tensor, min: Tensor | Number) -> Tensor:
    """input, but not below min, a number or a tensor."""
    if not isinstance(min, Tensor):
        return _by_numbers(ClampMin, input, min, None)
    demand_one_shape(input, min)
    return ClampMinTensor.apply(input, min)


@register("clamp_max", in_place=True, in_place_function=True)
def clamp_max(input: Tensor, max: Tensor | Number) -> Tensor:
    """input, but not above max, a number or a tensor."""
    if not isinstance(max, Tensor):
        return _by_numbers(ClampMax, input, None, max)
    demand_one_shape(input, max)
    return ClampMaxTensor.apply(input, max)


class Maximum(Function):
    """The larger of a and b, nan if one is nan: it gets the upstream gradient; at a tie each gets half."""

    choose: Callable = staticmethod(np.maximum)
    beyond: Callable = staticmethod(np.greater)

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        ctx.save_for_backward(a, b)
        return ctx.choose(b, a)  # of 0 and -0 numpy gives the second, torch the first

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        a, b = [array_ops.raw(tensor) for tensor in ctx.saved_tensors]
        half = array_ops.where(a == b, grad_output / 2, grad_output)
        return array_ops.masked(half, ctx.beyond(b, a)), array_ops.masked(half, ctx.beyond(a, b))


class Minimum(Maximum):
    """The smaller of a and b, nan if one is nan: it gets the upstream gradient; at a tie each gets half."""

    choose, beyond = staticmethod(np.minimum), staticmethod(np.less)


class Fmax(Maximum):
    """The larger of a and b, or the one that is not nan: it gets the upstream gradient. At a tie that was a; since
    torch 2.14 each gets half. Beside nan, torch 2.14 gave it to both.
    """

    choose = staticmethod(np.fmax)

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        a, b = [array_ops.raw(tensor) for tensor in ctx.saved_tensors]
        lost_a, lost_b = ctx.beyond(b, a), ctx.beyond(a, b)
        if not changed("fmax_counts_nan"):
            lost_a, lost_b = lost_a | (np.isnan(a) & ~np.isnan(b)), lost_b | np.isnan(b)
        if changed("fmax_ties"):
            grad_output = array_ops.where(a == b, grad_output / 2, grad_output)
        else:
            lost_b = lost_b | (a == b)
        return array_ops.masked(grad_output, lost_a), array_ops.masked(grad_output, lost_b)


class Fmin(Fmax):
    """The smaller of a and b, or the one that is not nan: see `Fmax`."""

    choose, beyond = staticmethod(np.fmin), staticmethod(np.less)


@register("maximum")
def maximum(input: Tensor, other: Tensor) -> Tensor:
    """The larger of the two, entry by entry. TypeError for a number: see `clamp`."""
    return Maximum.apply(input, other)


@register("minimum")
def minimum(input: Tensor, other: Tensor) -> Tensor:
    """The smaller of the two, entry by entry. TypeError for a number: see `clamp`."""
    return Minimum.apply(input, other)


@register("fmax")
def fmax(input: Tensor, other: Tensor) -> Tensor:
    """The larger of the two, entry by entry; where one is nan, the other one."""
    return Fmax.apply(input, other)


@register("fmin")
def fmin(input: Tensor, other: Tensor) -> Tensor:
    """The smaller of the two, entry by entry; where one is nan, the other one."""
    return Fmin.apply(input, other)


setattr(Tensor, "_where", where)  # noqa: B010  (for `array_ops`: of the condition)
