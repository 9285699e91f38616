"""Choosing between values, entry by entry: where, masks, limits, the larger of two; and picking by a mask.

The gradient goes to the value chosen; at a tie of two tensors each gets half, and a value on a limit counts as chosen.
Mirrors https://docs.pytorch.org/docs/stable/generated/torch.where.html
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.compat import dtypes
from minigrad.ops.argument_parser import Misfit
from minigrad.ops.operands import Number, beside, common_dtype, demand_one_shape, variant
from minigrad.ops.registry import define, define_all
from minigrad.runtime import array_ops
from minigrad.scalar import Function
from minigrad.tensor import Tensor


class Where(Function):
    """a where the condition holds, else b: the upstream gradient goes to the one chosen. The condition is saved."""

    saves = ("condition",)

    @staticmethod
    def forward(ctx: Any, a: Any, b: Any, condition: Tensor) -> Any:
        ctx.save_for_backward(condition)  # not an input in the graph, but freed and guarded like one
        return np.where(condition._array, a, b)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        (condition,) = ctx.saved_tensors
        needs_a, needs_b = ctx.needs_input_grad
        grad_b = array_ops.where(condition, 0, grad_output) if needs_b else None
        return array_ops.where(condition, grad_output, 0) if needs_a else None, grad_b


def where(condition: Tensor, input: Tensor | Number | None = None, other: Tensor | Number | None = None) -> Any:
    """input where the condition (bools) holds, else other; for just a condition, where it holds, like `nonzero`."""
    if input is None and other is None:
        return tuple([Tensor._of(each) for each in np.nonzero(np.atleast_1d(condition._array))])
    if input is None or other is None:
        raise Misfit("where() takes both 'input' and 'other', or neither; one is missing")
    if condition.dtype is not dtypes.bool_:
        dtype = condition.dtype.scalar_type
        raise RuntimeError(f"where expected condition to be a boolean tensor, but got a tensor with dtype {dtype}")
    demand_one_shape(condition, input, other)
    if not isinstance(input, Tensor) and not isinstance(other, Tensor):
        input = Tensor._of(np.asarray(input, common_dtype(input, other).numpy))
    return Where.apply(input, other, condition=condition)


def where_of(input: Tensor, condition: Tensor, other: Tensor | Number) -> Tensor:
    """`input.where(condition, other)`: the entries of input where the condition holds, else those of other."""
    return where(condition, input, other)


class MaskedFill(Function):
    """A number where the mask holds, else a: there the upstream gradient is lost. The mask is saved."""

    saves = ("mask",)

    @staticmethod
    def forward(ctx: Any, a: Any, mask: Tensor, value: Any) -> Any:
        ctx.save_for_backward(mask)
        return np.asarray(np.where(mask._array, np.asarray(value).astype(a.dtype), a), order="C")

    backward = staticmethod(lambda ctx, grad_output: array_ops.masked(grad_output, *ctx.saved_tensors))


class MaskedFillTensor(Function, name="MaskedFillBackward1"):
    """The entry of `value` (without axes) where the mask holds, else a: value gets the sum of the gradients a loses."""

    saves = ("mask",)
    promotes = False

    forward = staticmethod(lambda ctx, a, value, mask: MaskedFill.forward(ctx, a, mask, value))

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        (mask,) = ctx.saved_tensors
        grad_value = array_ops.where(mask, grad_output, 0).sum() if ctx.needs_input_grad[1] else None
        return array_ops.masked(grad_output, mask) if ctx.needs_input_grad[0] else None, grad_value


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
    def forward(ctx: Any, a: Any, nan: Any, posinf: Any, neginf: Any) -> Any:
        ctx.save_for_backward(a)
        return np.nan_to_num(a, nan=nan, posinf=posinf, neginf=neginf)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        finite = np.isfinite(array_ops.raw(*ctx.saved_tensors)).astype(ctx.dtype)
        return grad_output * array_ops.like(finite, grad_output)


def nan_to_num(input: Tensor, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None) -> Tensor:
    """nan, inf and -inf replaced, by default with 0 and the largest and smallest number of the dtype."""
    return NanToNum.apply(input, nan=nan or 0.0, posinf=posinf, neginf=neginf)


class Clamp(Function, name="ClampBackward1"):
    """a, but not below `low` nor above `high` (numbers, or None): d/da = 1 for low ≤ a ≤ high, else 0."""

    @staticmethod
    def forward(ctx: Any, a: Any, low: Any, high: Any) -> Any:
        ctx.save_for_backward(a)
        ctx.low, ctx.high = low, high
        return limited(a, low, high)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        (a,) = ctx.saved_tensors
        return array_ops.where(inside(array_ops.raw(a), ctx.low, ctx.high), grad_output, 0)


ClampMin = variant("ClampMin", Clamp, "ClampMinBackward0")  # a, but not below a number
ClampMax = variant("ClampMax", Clamp, "ClampMaxBackward0")  # a, but not above a number


class ClampTensors(Function, name="ClampBackward0"):
    """a, but not below `low` nor above `high` (tensors, or None): whichever was chosen gets the upstream gradient, a at
    a tie. A `high` below `low` is chosen everywhere; where they are equal, neither gets anything for an a below them.
    """

    saves = ("self", "min", "max")
    promotes = False

    @staticmethod
    def forward(ctx: Any, a: Any, low: Any, high: Any) -> Any:
        ctx.save_for_backward(a, low, high)
        met = iter(dtypes.promoted([each for each in (a, low, high) if each is not None]))
        return limited(*[each if each is None else next(met) for each in (a, low, high)])

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, low, high = [array_ops.raw(each) for each in ctx.saved_tensors]
        needs_a, needs_low, needs_high = ctx.needs_input_grad
        both = low is not None and high is not None
        below = (a < low) & (low < high if both else True) if needs_low else None
        above = (a > high) | (high < low if both else False) if needs_high else None
        chosen = inside(a, low, high) if needs_a else None, below, above
        return tuple([None if mask is None else array_ops.where(mask, grad_output, 0) for mask in chosen])


def limited(a: Any, low: Any, high: Any) -> Any:
    """An array, but not below `low` nor above `high`."""
    if low is not None:
        a = np.maximum(low, a)
    return a if high is None else np.minimum(high, a)


def inside(a: Any, low: Any, high: Any) -> Any:
    """Where an array is neither below `low` nor above `high`."""
    return (True if low is None else a >= low) & (True if high is None else a <= high)


def clamp(input: Tensor, min: Tensor | Number | None = None, max: Tensor | Number | None = None) -> Tensor:
    """input, but not below min nor above max: two numbers or two tensors, one of which may be missing."""
    limits = [each for each in (min, max) if each is not None]
    if not limits:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    if all(isinstance(each, dtypes.NUMBERS) for each in limits):
        return Clamp.apply(_beside_limits(input, *limits), low=min, high=max)
    if not all(isinstance(each, Tensor) for each in limits):
        raise Misfit("clamp(): min and max must be two numbers or two tensors")
    demand_one_shape(input, *limits)
    return ClampTensors.apply(input, min, max)


def _beside_limits(input: Tensor, *limits: Any) -> Tensor:
    """The tensor in the dtype in which it meets the limits. RuntimeError for one that does not fit there."""
    met = beside(input, *limits)
    for each in limits:
        dtypes.number_in(each, met.dtype)
    return met


def clamp_min(input: Tensor, min: Tensor | Number) -> Tensor:
    """input, but not below min, a number or a tensor."""
    number = not isinstance(min, Tensor)
    return ClampMin.apply(_beside_limits(input, min), low=min, high=None) if number else clamp(input, min)


def clamp_max(input: Tensor, max: Tensor | Number) -> Tensor:
    """input, but not above max, a number or a tensor."""
    number = not isinstance(max, Tensor)
    return ClampMax.apply(_beside_limits(input, max), low=None, high=max) if number else clamp(input, max=max)


class Maximum(Function):
    """The larger of a and b, nan if one is nan: it gets the upstream gradient; at a tie each gets half."""

    choose: Callable = staticmethod(np.maximum)
    beyond: Callable = staticmethod(np.greater)

    @staticmethod
    def forward(ctx: Any, a: Any, b: Any) -> Any:
        ctx.save_for_backward(a, b)
        return ctx.choose(b, a)  # of 0 and -0 numpy gives the second, torch the first

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, b = [array_ops.raw(each) for each in ctx.saved_tensors]
        half = array_ops.where(a == b, grad_output / 2, grad_output)
        return array_ops.masked(half, ctx.beyond(b, a)), array_ops.masked(half, ctx.beyond(a, b))


class Minimum(Maximum):
    """The smaller of a and b, nan if one is nan: it gets the upstream gradient; at a tie each gets half."""

    choose, beyond = staticmethod(np.minimum), staticmethod(np.less)


def maximum(input: Tensor, other: Tensor) -> Tensor:
    """The larger of the two, entry by entry. TypeError for a number: see `clamp`."""
    return Maximum.apply(input, other)


def minimum(input: Tensor, other: Tensor) -> Tensor:
    """The smaller of the two, entry by entry. TypeError for a number: see `clamp`."""
    return Minimum.apply(input, other)


define("where", where, method=False)
setattr(Tensor, "_where", where)  # noqa: B010  (for `array_ops`: of the condition)
define("where", where_of, function=False)
define("masked_fill", masked_fill, in_place=True)
define("nan_to_num", nan_to_num, in_place=True)
define_all(globals(), "clamp clip=clamp clamp_min clamp_max", in_place=True)
define_all(globals(), "maximum minimum")
