"""Arithmetic, entry by entry.

Mirrors https://docs.pytorch.org/docs/stable/torch.html#pointwise-ops
"""

from __future__ import annotations

from typing import Any

from minigrad import scalar
from minigrad.compat import dtypes
from minigrad.compat.fused import multiply_add
from minigrad.ops import activations as activations  # for its names, as the modules after it
from minigrad.ops import elementary, functions
from minigrad.ops import rounding as rounding
from minigrad.ops import where_clamp as where_clamp
from minigrad.ops.division import div as div
from minigrad.ops.operands import Number, beside, common_dtype, demand_one_shape, is_bool, with_a_tensor
from minigrad.ops.powers import pow as pow
from minigrad.ops.powers import rpow as rpow
from minigrad.ops.registry import define, define_all
from minigrad.runtime import array_ops
from minigrad.scalar import Function
from minigrad.tensor import Tensor

reciprocal = elementary.function_of(elementary.Reciprocal)


class AddScaled(Function, name="AddBackward0"):
    """a + alpha · b for a number alpha: d/da = 1, d/db = alpha. Nothing is saved."""

    __slots__ = ("alpha",)

    @staticmethod
    def forward(ctx: Any, a: Any, b: Any, alpha: Any) -> Any:
        ctx.alpha = alpha
        return multiply_add(b, alpha, a, (b if isinstance(a, dtypes.NUMBERS) else a).dtype)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return grad_output, array_ops.call(elementary.Scale, grad_output, factor=ctx.alpha)


class SubScaled(AddScaled, name="SubBackward0"):
    """a - alpha · b for a number alpha: d/da = 1, d/db = -alpha. Nothing is saved."""

    __slots__ = ()

    @staticmethod
    def forward(ctx: Any, a: Any, b: Any, alpha: Any) -> Any:
        return AddScaled.forward(ctx, a, b, -alpha)


class Rsub(Function, name="RsubBackward1"):
    """number - a: d/da = -1. torch gives this order a node of its own, with one edge."""

    __slots__ = ()

    @staticmethod
    def forward(ctx: Any, a: Any, number: Any) -> Any:
        return number - a

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return -grad_output


class RsubTensor(Function, name="RsubBackward0"):
    """b - a: d/da = -1, d/db = 1. Nothing is saved."""

    __slots__ = ()

    @staticmethod
    def forward(ctx: Any, a: Any, b: Any) -> Any:
        return b - a

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return -grad_output, grad_output


def add(input: Tensor | Number, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
    """input + alpha · other. RuntimeError for integers with an alpha that is none."""
    input = with_a_tensor(input, other)
    if type(alpha) is int and alpha == 1:
        return scalar.Add.apply(input, other)
    demand_one_shape(input, other)
    return AddScaled.apply(input, other, alpha=_allowed(alpha, input, other))


def sub(input: Tensor | Number, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
    """input - alpha · other. RuntimeError for bools, and for integers with an alpha that is none."""
    input = with_a_tensor(input, other)
    _refuse_bools(input, other)
    if type(alpha) is int and alpha == 1:
        return scalar.Sub.apply(input, other)
    demand_one_shape(input, other)
    return SubScaled.apply(input, other, alpha=_allowed(alpha, input, other))


def rsub(input: Tensor, other: Tensor | Number) -> Tensor:
    """other - input. RuntimeError for bools."""
    _refuse_bools(input, other)
    if isinstance(other, Tensor):
        return RsubTensor.apply(input, other)
    return Rsub.apply(beside(input, other), number=dtypes.plain(other))


def neg(input: Tensor) -> Tensor:
    """-input. RuntimeError for bools."""
    if input.dtype is dtypes.bool_:
        raise RuntimeError(
            "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a "
            "mask, use the `~` or `logical_not()` operator instead."
        )
    return scalar.Neg.apply(input)


def positive(input: Tensor) -> Tensor:
    """input itself. RuntimeError for bools."""
    if input.dtype is dtypes.bool_:
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return input


def mul(input: Tensor | Number, other: Tensor | Number) -> Tensor:
    """input · other."""
    input = with_a_tensor(input, other)
    return scalar.Mul.apply(input, other)


def _allowed(alpha: Any, input: Any, other: Any) -> Any:
    """alpha, as a factor for `other`. RuntimeError if it is of a higher kind than what it is to multiply."""
    kind = common_dtype(input, other).kind
    if isinstance(alpha, bool) and kind != dtypes.BOOL:
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if isinstance(alpha, float) and kind != dtypes.FLOATING:
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    return bool(alpha) if kind == dtypes.BOOL else alpha


def _refuse_bools(a: Any, b: Any) -> None:
    bools = is_bool(a), is_bool(b)
    if True not in bools:
        return
    if all(bools):
        raise RuntimeError(
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
            "`logical_xor()` operator instead."
        )
    raise RuntimeError(
        "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert "
        "a mask, use the `~` or `logical_not()` operator instead."
    )


define_all(globals(), "add sub subtract=sub mul multiply=mul neg negative=neg", in_place=True)
define("positive", positive)
define("rsub", rsub, method=False)


_ALSO_FUNCTIONS = """
    abs_ acos_ acosh_ arccos_ arccosh_ arcsin_ arcsinh_ arctan_ arctanh_ asin_ asinh_ atan_ atanh_ ceil_ clamp_
    clamp_max_ clamp_min_ clip_ cos_ cosh_ deg2rad_ erf_ exp_ exp2_ expm1_ fix_ floor_ frac_ log_ log10_ log1p_ log2_
    nan_to_num_ neg_ negative_ rad2deg_ reciprocal_ relu_ round_ rsqrt_ sigmoid_ sin_ sinh_ sqrt_ square_ tan_ tanh_
    trunc_
"""
for _name in _ALSO_FUNCTIONS.split():
    functions[_name] = getattr(Tensor, _name)  # torch.relu_(x) is x.relu_()
