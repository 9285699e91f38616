"""One value or another, entry by entry: where, masks, limits, the larger of two.

The gradient goes to the value that was chosen. At a tie of two tensors each gets half of it; a value that lies on
a limit counts as chosen.

Mirrors https://docs.pytorch.org/docs/stable/generated/torch.where.html and
https://docs.pytorch.org/docs/stable/generated/torch.clamp.html
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.compat import checks, dtypes
from minigrad.compat.messages import warn_once
from minigrad.ops.argument_parser import Misfit
from minigrad.ops.operands import Number, beside, common_dtype, demand_one_shape, variant
from minigrad.ops.registry import define, define_all
from minigrad.runtime import array_ops, inplace
from minigrad.scalar import Function
from minigrad.tensor import Tensor


def save_constant(ctx: Any, tensor: Tensor) -> None:
    """Save a tensor that is no input of the graph: it is freed and guarded against changes like the others."""
    ctx.save_for_backward(tensor)


class Where(Function):
    """a where the condition holds, else b: the upstream gradient goes to the one chosen. The condition is saved."""

    __slots__ = ()
    saves = ("condition",)

    @staticmethod
    def forward(ctx: Any, a: Any, b: Any, condition: Tensor) -> Any:
        save_constant(ctx, condition)
        return np.where(condition._array, a, b)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        (condition,) = ctx.saved_tensors
        needs_a, needs_b = ctx.needs_input_grad
        return (
            array_ops.where(condition, grad_output, 0) if needs_a else None,
            array_ops.where(condition, 0, grad_output) if needs_b else None,
        )


def where(condition: Tensor, input: Tensor | Number | None = None, other: Tensor | Number | None = None) -> Any:
    """input where the condition holds, else other; with the condition alone, where it holds (as `nonzero` has it).
    condition is a tensor of bools; input and other are tensors or numbers; all meet in one shape. RuntimeError for
    another condition, TypeError if one of input and other is missing.
    """
    if input is None and other is None:
        return tuple([Tensor._of(each) for each in np.nonzero(np.atleast_1d(condition._array))])
    if input is None or other is None:
        raise Misfit("where() takes both 'input' and 'other', or neither; one is missing")
    if condition.dtype is dtypes.uint8:
        warn_once(
            "where received a uint8 condition tensor. This behavior is deprecated and will be removed in a future "
            "version of PyTorch. Use a boolean condition instead."
        )
        condition = Tensor._of(condition._array != 0)
    if condition.dtype is not dtypes.bool_:
        raise RuntimeError(
            "where expected condition to be a boolean tensor, but got a tensor with dtype "
            f"{condition.dtype.scalar_type}"
        )
    demand_one_shape(condition, input, other)
    if not isinstance(input, Tensor) and not isinstance(other, Tensor):
        input = Tensor._of(np.asarray(input, common_dtype(input, other).numpy))
    return Where.apply(input, other, condition=condition)


def where_of(input: Tensor, condition: Tensor, other: Tensor | Number) -> Tensor:
    """`input.where(condition, other)`: the entries of input where the condition holds, else those of other."""
    return where(condition, input, other)


class MaskedFill(Function):
    """A number where the mask holds, else a: there the upstream gradient is lost. The mask is saved."""

    __slots__ = ()
    saves = ("mask",)

    @staticmethod
    def forward(ctx: Any, a: Any, mask: Tensor, value: Any) -> Any:
        save_constant(ctx, mask)
        return np.asarray(np.where(mask._array, np.asarray(value).astype(a.dtype), a), order="C")

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        (mask,) = ctx.saved_tensors
        return array_ops.masked(grad_output, mask)


class MaskedFillTensor(Function, name="MaskedFillBackward1"):
    """The entry of `value` (without axes) where the mask holds, else a: value gets the sum of what a loses."""

    __slots__ = ()
    saves = ("mask",)
    promotes = False

    @staticmethod
    def forward(ctx: Any, a: Any, value: Any, mask: Tensor) -> Any:
        save_constant(ctx, mask)
        return np.asarray(np.where(mask._array, np.asarray(value).astype(a.dtype), a), order="C")

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        (mask,) = ctx.saved_tensors
        needs_a, needs_value = ctx.needs_input_grad
        return (
            array_ops.masked(grad_output, mask) if needs_a else None,
            array_ops.where(mask, grad_output, 0).sum() if needs_value else None,
        )


def masked_fill(input: Tensor, mask: Tensor, value: Tensor | Number) -> Tensor:
    """value where the mask holds, else input; the dtype of input stays. value: a number, or a tensor without axes.
    RuntimeError for a mask that is not of bools, and for a value with axes.
    """
    if mask.dtype is not dtypes.bool_:
        raise RuntimeError(f"masked_fill_ only supports boolean masks, but got mask with dtype {mask.dtype.cpp_name}")
    if isinstance(value, Tensor) and value.ndim:
        raise RuntimeError(
            f"masked_fill_ only supports a 0-dimensional value tensor, but got tensor with {value.ndim} dimension(s)."
        )
    demand_one_shape(mask, input)
    if isinstance(value, Tensor):
        return MaskedFillTensor.apply(input, value, mask=mask)
    return MaskedFill.apply(input, mask=mask, value=dtypes.number_in(dtypes.plain(value), input.dtype))


def masked_fill_(input: Tensor, mask: Tensor, value: Tensor | Number) -> Tensor:
    """Like `masked_fill`, and the result takes the place of the tensor's own values. A UserWarning for an expanded
    tensor, in which all copies of an entry change.
    """
    checks.allow_expanded(input, "masked_fill_", "tensor[mask] = scalar")
    return inplace.change(input, inplace.Overlapping(masked_fill), mask, value)


class NanToNum(Function):
    """Numbers in the place of nan and the infinities: d/da = 1 for the finite entries, else 0."""

    __slots__ = ()

    @staticmethod
    def forward(ctx: Any, a: Any, nan: Any, posinf: Any, neginf: Any) -> Any:
        ctx.save_for_backward(a)
        return np.nan_to_num(a, nan=nan, posinf=posinf, neginf=neginf)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        (a,) = ctx.saved_tensors
        finite = np.isfinite(array_ops.raw(a)).astype(ctx.dtype)
        return grad_output * array_ops.like(finite, grad_output)


def nan_to_num(input: Tensor, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None) -> Tensor:
    """nan, inf and -inf replaced: by 0 and the largest and smallest number of the dtype, if not told otherwise."""
    return NanToNum.apply(input, nan=nan or 0.0, posinf=posinf, neginf=neginf)


class Clamp(Function, name="ClampBackward1"):
    """a, but not below `low` nor above `high` (numbers, or None): d/da = 1 for low ≤ a ≤ high, else 0."""

    __slots__ = ("low", "high")

    @staticmethod
    def forward(ctx: Any, a: Any, low: Any, high: Any) -> Any:
        ctx.save_for_backward(a)
        ctx.low, ctx.high = low, high
        if low is not None:
            a = np.maximum(low, a)
        return a if high is None else np.minimum(high, a)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        (a,) = ctx.saved_tensors
        a = array_ops.raw(a)
        above = True if ctx.low is None else a >= ctx.low
        below = True if ctx.high is None else a <= ctx.high
        return array_ops.where(above & below, grad_output, 0)


ClampMin = variant("ClampMin", Clamp, "ClampMinBackward0")  # a, but not below a number
ClampMax = variant("ClampMax", Clamp, "ClampMaxBackward0")  # a, but not above a number


class ClampTensors(Function, name="ClampBackward0"):
    """a, but not below `low` nor above `high` (tensors, or None): whichever was chosen gets the upstream gradient. A
    `high` below `low` is chosen everywhere; where they are equal, neither gets anything for an a below them.
    """

    __slots__ = ()
    saves = ("self", "min", "max")
    promotes = False

    @staticmethod
    def forward(ctx: Any, a: Any, low: Any, high: Any) -> Any:
        ctx.save_for_backward(a, low, high)
        limits = [each for each in (low, high) if each is not None]
        a, *limits = dtypes.promoted([a, *limits])
        if low is not None:
            a = np.maximum(limits[0], a)
        return a if high is None else np.minimum(limits[-1], a)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, low, high = [array_ops.raw(each) for each in ctx.saved_tensors]
        above = True if low is None else a >= low
        below = True if high is None else a <= high
        both = low is not None and high is not None
        chosen = (
            above & below,
            None if low is None else (a < low) & (low < high if both else True),
            None if high is None else (a > high) | (high < low if both else False),
        )
        return tuple(
            [
                array_ops.where(mask, grad_output, 0) if needed else None
                for mask, needed in zip(chosen, ctx.needs_input_grad, strict=True)
            ]
        )


class ClampMinTensor(Function, name="ClampMinBackward1"):
    """a, but not below the tensor `low`: the one chosen gets the upstream gradient, a at a tie."""

    __slots__ = ()
    saves = ("self", "min")

    @staticmethod
    def forward(ctx: Any, a: Any, low: Any) -> Any:
        ctx.save_for_backward(a, low)
        return np.maximum(low, a)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, low = [array_ops.raw(each) for each in ctx.saved_tensors]
        return array_ops.where(a >= low, grad_output, 0), array_ops.where(a < low, grad_output, 0)


class ClampMaxTensor(Function, name="ClampMaxBackward1"):
    """a, but not above the tensor `high`: the one chosen gets the upstream gradient, a at a tie."""

    __slots__ = ()
    saves = ("self", "max")

    @staticmethod
    def forward(ctx: Any, a: Any, high: Any) -> Any:
        ctx.save_for_backward(a, high)
        return np.minimum(high, a)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, high = [array_ops.raw(each) for each in ctx.saved_tensors]
        return array_ops.where(a <= high, grad_output, 0), array_ops.where(a > high, grad_output, 0)


def clamp(input: Tensor, min: Tensor | Number | None = None, max: Tensor | Number | None = None) -> Tensor:
    """input, but not below min nor above max: both numbers, or both tensors; one may be missing. RuntimeError if both
    are missing, TypeError for a number beside a tensor.
    """
    limits = [each for each in (min, max) if each is not None]
    if not limits:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    if all(isinstance(each, dtypes.NUMBERS) for each in limits):
        return Clamp.apply(beside(input, *limits), low=min, high=max)
    if not all(isinstance(each, Tensor) for each in limits):
        raise Misfit("clamp(): min and max must be two numbers or two tensors")
    demand_one_shape(input, *limits)
    return ClampTensors.apply(input, min, max)


def clamp_min(input: Tensor, min: Tensor | Number) -> Tensor:
    """input, but not below min, a number or a tensor."""
    if isinstance(min, Tensor):
        return ClampMinTensor.apply(input, min)
    return ClampMin.apply(beside(input, min), low=min, high=None)


def clamp_max(input: Tensor, max: Tensor | Number) -> Tensor:
    """input, but not above max, a number or a tensor."""
    if isinstance(max, Tensor):
        return ClampMaxTensor.apply(input, max)
    return ClampMax.apply(beside(input, max), low=None, high=max)


def clamp_(input: Tensor, min: Tensor | Number | None = None, max: Tensor | Number | None = None) -> Tensor:
    """`clamp` in place. RuntimeError for a number that needs another dtype than the tensor has."""
    _demand_dtype(input, min, max)
    return inplace.change(input, clamp, min, max)


def clamp_min_(input: Tensor, min: Tensor | Number) -> Tensor:
    """`clamp_min` in place. RuntimeError for a number that needs another dtype than the tensor has."""
    _demand_dtype(input, min)
    return inplace.change(input, clamp_min, min)


def clamp_max_(input: Tensor, max: Tensor | Number) -> Tensor:
    """`clamp_max` in place. RuntimeError for a number that needs another dtype than the tensor has."""
    _demand_dtype(input, max)
    return inplace.change(input, clamp_max, max)


def _demand_dtype(input: Tensor, *limits: Any) -> None:
    """RuntimeError, in torch's words, where the tensor has no room for a number in place."""
    numbers = [each for each in limits if isinstance(each, dtypes.NUMBERS)]
    common = common_dtype(input, *numbers)
    if common.kind > input.dtype.kind:
        raise RuntimeError(
            f"result type {common.scalar_type} can't be cast to the desired output type {input.dtype.cpp_name}"
        )


class Maximum(Function):
    """The larger of a and b, nan if one is nan: it gets the upstream gradient, each gets half at a tie."""

    __slots__ = ()

    @staticmethod
    def forward(ctx: Any, a: Any, b: Any) -> Any:
        ctx.save_for_backward(a, b)
        return np.maximum(b, a)  # of 0 and -0 numpy gives the second, torch the first

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, b = [array_ops.raw(each) for each in ctx.saved_tensors]
        return parted(a, b, a < b, a > b, grad_output)


class Minimum(Function):
    """The smaller of a and b, nan if one is nan: it gets the upstream gradient, each gets half at a tie."""

    __slots__ = ()

    @staticmethod
    def forward(ctx: Any, a: Any, b: Any) -> Any:
        ctx.save_for_backward(a, b)
        return np.minimum(b, a)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, b = [array_ops.raw(each) for each in ctx.saved_tensors]
        return parted(a, b, a > b, a < b, grad_output)


def parted(a: Any, b: Any, not_a: Any, not_b: Any, grad_output: Any) -> tuple:
    """The upstream gradient for a and for b: none for the one not chosen, half for each where they are equal."""
    half = array_ops.where(a == b, grad_output / 2, grad_output)
    return array_ops.masked(half, not_a), array_ops.masked(half, not_b)


def maximum(input: Tensor, other: Tensor) -> Tensor:
    """The larger of the two, entry by entry. TypeError for a number: see `clamp`."""
    return Maximum.apply(input, other)


def minimum(input: Tensor, other: Tensor) -> Tensor:
    """The smaller of the two, entry by entry. TypeError for a number: see `clamp`."""
    return Minimum.apply(input, other)


define("where", where, method=False)
setattr(Tensor, "_where", where)  # noqa: B010  (for `array_ops`: of the condition)
define("where", where_of, function=False)
define("masked_fill", masked_fill)
define("masked_fill_", masked_fill_, function=False)
define("nan_to_num", nan_to_num, in_place=True)
define_all(globals(), "clamp clip=clamp clamp_min clamp_max maximum minimum")
define_all(globals(), "clamp_ clip_=clamp_ clamp_min_ clamp_max_", function=False)
