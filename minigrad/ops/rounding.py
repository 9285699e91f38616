"""Signs, sizes and whole parts: functions with jumps or corners. Integers keep their dtype.

Mirrors https://docs.pytorch.org/docs/stable/torch.html#pointwise-ops
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.compat import dtypes
from minigrad.ops.elementary import OfInput
from minigrad.ops.operands import no_kernel
from minigrad.ops.registry import define_all
from minigrad.runtime import array_ops
from minigrad.scalar import Function
from minigrad.tensor import Tensor


class Abs(OfInput):
    """|a|: d/da is the sign of a, 0 at 0. NotImplementedError for bools."""

    __slots__ = ()
    value = staticmethod(np.abs)
    share = staticmethod(lambda g, a: g * array_ops.sign(a))


class Flat(Function):
    """A function that is constant between its jumps: d/da = 0. Nothing is saved."""

    __slots__ = ()
    value: Callable[[Any], Any]

    @staticmethod
    def forward(ctx: Any, a: Any) -> Any:
        return ctx.value(a)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return array_ops.zeros(ctx.shape, ctx.dtype, grad_output)


class Sign(Flat):
    """-1, 0 or 1; 0 for nan: d/da = 0."""

    __slots__ = ()
    value = staticmethod(array_ops.sign)


class Floor(Flat):
    """The largest whole number ≤ a: d/da = 0. NotImplementedError for bools, as for the next three."""

    __slots__ = ()
    value = staticmethod(np.floor)


class Ceil(Flat):
    """The smallest whole number ≥ a: d/da = 0."""

    __slots__ = ()
    value = staticmethod(np.ceil)


class Trunc(Flat):
    """The whole part of a: d/da = 0."""

    __slots__ = ()
    value = staticmethod(np.trunc)


class Round(Flat):
    """The nearest whole number, the even one of two: d/da = 0."""

    __slots__ = ()
    value = staticmethod(np.round)


class RoundDecimals(Flat, name="RoundBackward1"):
    """The nearest number of so many decimals: d/da = 0."""

    __slots__ = ()

    @staticmethod
    def forward(ctx: Any, a: Any, decimals: int = 0) -> Any:
        tens = 10.0 ** abs(decimals)
        return np.round(a * tens) / tens if decimals > 0 else np.round(a / tens) * tens


class Frac(Function):
    """a without its whole part: d/da = 1. Nothing is saved."""

    __slots__ = ()

    @staticmethod
    def forward(ctx: Any, a: Any) -> Any:
        return a - np.trunc(a)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return grad_output


def round(input: Tensor, *, decimals: int = 0) -> Tensor:
    """The nearest whole number, the even one of two; or the nearest number of so many decimals: d/da = 0."""
    if decimals and not input.dtype.is_floating_point:
        raise no_kernel("round_cpu", input.dtype)
    if input.dtype is dtypes.bool_:
        raise no_kernel("round_vml_cpu", input.dtype)
    return RoundDecimals.apply(input, decimals=decimals) if decimals else Round.apply(input)


def frac(input: Tensor) -> Tensor:
    """input without its whole part: d/da = 1. NotImplementedError for integers."""
    if not input.dtype.is_floating_point:
        raise no_kernel("frac_cpu", input.dtype)
    return Frac.apply(input)


def _function(node: type[Function], kernel: str | None) -> Callable[[Tensor], Tensor]:
    """The node as a plain function of one tensor; where there is no `kernel` for bools, it is named in the error."""

    def function(input: Tensor) -> Tensor:
        if kernel and input.dtype is dtypes.bool_:
            raise no_kernel(kernel, input.dtype)
        return node.apply(input)

    function.__doc__ = node.__doc__
    return function


absolute: Callable = _function(Abs, "abs_cpu")

sign, floor, ceil, trunc = (
    _function(Sign, None),
    _function(Floor, "floor_vml_cpu"),
    _function(Ceil, "ceil_vml_cpu"),
    _function(Trunc, "trunc_vml_cpu"),
)
define_all(globals(), "abs=absolute absolute sign floor ceil trunc fix=trunc round frac", in_place=True)
