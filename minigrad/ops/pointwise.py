"""Arithmetic, entry by entry: sums, products, powers, quotients (rounded or not) and remainders.
Mirrors https://docs.pytorch.org/docs/stable/torch.html#pointwise-ops
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad import scalar
from minigrad.arithmetic.numerics import multiply_add
from minigrad.compat import dtypes
from minigrad.compat.versions import refusal
from minigrad.graph import array_ops
from minigrad.ops import where_clamp as where_clamp
from minigrad.ops.elementary import flat, scaled
from minigrad.ops.operands import (
    Number,
    Undifferentiable,
    beside,
    common_dtype,
    demand_one_shape,
    demand_one_tensor,
    is_bool,
    no_kernel,
    variant,
    with_a_float,
)
from minigrad.ops.registry import register
from minigrad.scalar import Function
from minigrad.tensor import Shares, Tensor, Value

INVERT = "is not supported. If you are trying to invert a mask, use the `~` or `logical_not()` operator instead."


class AddScaled(Function, name="AddBackward0"):
    """a + alpha · b for a number alpha: d/da = 1, d/db = alpha. Nothing is saved."""

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, b: np.ndarray, alpha: float) -> np.ndarray:
        ctx.alpha = alpha
        return multiply_add(b, alpha, a, (b if isinstance(a, dtypes.NUMBERS) else a).dtype)

    backward = staticmethod(lambda ctx, grad_output: (grad_output, scaled(grad_output, ctx.alpha)))


SubScaled = variant("SubScaled", AddScaled, "SubBackward0")  # a - alpha · b, given -alpha


class Rsub(Function, name="RsubBackward1"):
    """number - a: d/da = -1. torch has a separate node for this order, with one edge."""

    forward = staticmethod(lambda ctx, a, number: number - a)
    backward = staticmethod(lambda ctx, grad_output: -grad_output)


class SubOfNumber(Function, name="SubBackward1"):
    """a - number, by `subtract`: d/da = 1. Nothing is saved."""

    forward = staticmethod(lambda ctx, a, number: a - number)
    backward = staticmethod(lambda ctx, grad_output: grad_output)


class RsubTensor(Function, name="RsubBackward0"):
    """b - a: d/da = -1, d/db = 1. Nothing is saved."""

    forward = staticmethod(lambda ctx, a, b: b - a)
    backward = staticmethod(lambda ctx, grad_output: (-grad_output, grad_output))


@register("add", in_place=True)
def add(input: Tensor | Number, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
    """input + alpha · other. RuntimeError for integers with an alpha that is not one."""
    demand_one_tensor("add", input, other)
    if type(alpha) is int and alpha == 1:
        return scalar.Add.apply(input, other)
    demand_one_shape(input, other)
    return AddScaled.apply(input, other, alpha=_allowed(alpha, input, other))


@register("sub", in_place=True)
def sub(input: Tensor | Number, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
    """input - alpha · other. RuntimeError for bools, and for integers with an alpha that is not one."""
    demand_one_tensor("sub", input, other)
    _refuse_bools(input, other)
    if type(alpha) is int and alpha == 1:
        return scalar.Sub.apply(input, other)
    demand_one_shape(input, other)
    return SubScaled.apply(input, other, alpha=-_allowed(alpha, input, other))


@register("subtract", in_place=True)
def subtract(input: Tensor | Number, other: Tensor | Number, alpha: Number | None = None) -> Tensor:
    """input - alpha · other, as `sub`; of a number with an alpha torch makes another node."""
    if alpha is None or isinstance(other, Tensor) or not isinstance(input, Tensor):
        return sub(input, other, alpha=1 if alpha is None else alpha)
    _refuse_bools(input, other)
    return _by_number(SubOfNumber, input, other * _allowed(alpha, input, other) if alpha != 1 else other)


@register("rsub", method=False)
def rsub(input: Tensor, other: Tensor | Number, alpha: Number = 1) -> Tensor:
    """other - alpha · input. RuntimeError for bools, and for integers with an alpha that is not one."""
    _refuse_bools(input, other)
    if alpha != 1:
        input = mul(input, _allowed(alpha, input, other))
    if isinstance(other, Tensor):
        return RsubTensor.apply(input, other)
    return _by_number(Rsub, input, dtypes.plain(other))


def _by_number(node: type[Function], input: Tensor, number: Any) -> Tensor:
    """An operation of a tensor and a number; an integer that the tensor's dtype does not hold counts modulo 2ⁿ."""
    met = beside(input, number)
    if type(number) is int and met._array.dtype.kind in "iu":
        number = dtypes.wrapped([met._array, number])[1]
    return node.apply(met, number=number)


@register("neg", alias="negative", in_place=True, in_place_function=True)
def neg(input: Tensor) -> Tensor:
    """-input. RuntimeError for bools."""
    if input.dtype is dtypes.bool_:
        raise refusal("bools_not_implemented")(f"Negation, the `-` operator, on a bool tensor {INVERT}")
    return scalar.Neg.apply(input)


@register("positive")
def positive(input: Tensor) -> Tensor:
    """input itself. RuntimeError for bools."""
    if input.dtype is dtypes.bool_:
        raise refusal("bools_not_implemented")("The `+` operator, on a bool tensor is not supported.")
    return input


@register("mul", alias="multiply", in_place=True)
def mul(input: Tensor | Number, other: Tensor | Number) -> Tensor:
    """input · other."""
    demand_one_tensor("mul", input, other)
    return scalar.Mul.apply(input, other)


def _allowed(alpha: Number, input: Tensor | Number, other: Tensor | Number) -> Number:
    """alpha, as a factor for `other`. RuntimeError if it is of a higher kind than `other`."""
    kind = common_dtype(input, other).kind
    if isinstance(alpha, bool) and kind != dtypes.BOOL:
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if isinstance(alpha, float) and kind != dtypes.FLOATING:
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    return bool(alpha) if kind == dtypes.BOOL else alpha


def _refuse_bools(a: object, b: object) -> None:
    bools = is_bool(a), is_bool(b)
    if all(bools):
        reason = "with two bool tensors is not supported. Use the `^` or `logical_xor()` operator instead."
        raise refusal("bools_not_implemented")(f"Subtraction, the `-` operator, {reason}")
    if any(bools):
        raise refusal("bools_not_implemented")(f"Subtraction, the `-` operator, with a bool tensor {INVERT}")


class PowTensor(Function, name="PowBackward1"):
    """a ** b for two tensors: d/da = b · a^(b-1), d/db = a^b · log a. 0 ** 0 has both derivatives 0."""

    saves = ("self", "exponent")

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        result = _power_of_arrays(a, b)
        ctx.save_for_backward(a, b, result)
        return result

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        a, b, result = ctx.saved_tensors
        raw_a, raw_b = array_ops.raw(a), array_ops.raw(b)
        needs_a, needs_b = ctx.needs_input_grad
        grad_a = grad_b = None
        if needs_a:
            grad_a = array_ops.where(raw_b == 0, 0, grad_output * (b * a ** (b - 1)))
        if needs_b:
            grad_b = grad_output * array_ops.where((raw_a == 0) & (raw_b >= 0), 0, result * array_ops.log(a))
        return grad_a, grad_b


class PowOfNumber(Function, name="PowBackward2"):
    """base ** b for a number `base`: d/db = base^b · log base."""

    saves = ("exponent",)

    @staticmethod
    def forward(ctx: Function, b: np.ndarray, base: np.ndarray) -> np.ndarray:
        result = _power_of_arrays(np.asarray(base, b.dtype), b)
        ctx.save_for_backward(b, result)
        ctx.base = base
        return result

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        b, result = ctx.saved_tensors
        raw_b = array_ops.raw(b)
        log = np.log(np.asarray(float(ctx.base), raw_b.dtype)).item()
        if ctx.base == 0:
            return grad_output * array_ops.where(raw_b >= 0, 0, result * log)
        return grad_output * (result * log)


@register("pow", in_place=True)
def pow(input: Tensor | Number, exponent: Tensor | Number) -> Tensor:
    """input to the power of exponent; one of them may be a number. RuntimeError for integers to a negative number."""
    kind = type(exponent)
    if (kind is int or kind is float) and isinstance(input, Tensor) and input._array.dtype.kind == "f":
        return scalar.Pow.apply(input, exponent=exponent)  # no check or conversion needed
    demand_one_tensor("pow", input, exponent)
    if not isinstance(input, Tensor):
        assert isinstance(exponent, Tensor)
        return rpow(exponent, dtypes.plain(input))
    _refuse_bool_powers(input, exponent)
    if isinstance(exponent, Tensor):
        return PowTensor.apply(input, exponent)
    exponent = dtypes.plain(exponent)
    if exponent < 0 and isinstance(exponent, int) and not input.dtype.is_floating_point:
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    return scalar.Pow.apply(beside(input, exponent), exponent=exponent)


def rpow(input: Tensor, base: Number) -> Tensor:
    """A number to the power of input."""
    _refuse_bool_powers(base, input)
    return PowOfNumber.apply(beside(input, base), base=dtypes.plain(base))


@register("square", in_place=True, in_place_function=True)
def square(input: Tensor) -> Tensor:
    """input²."""
    return pow(input, 2)


def _power_of_arrays(a: np.ndarray, n: np.ndarray) -> np.ndarray:
    """a ** n; a negative power of an integer is 0, except for 1 and -1."""
    if n.dtype.kind == "i" and (n < 0).any():
        return np.where(n >= 0, a ** abs(n), np.where(abs(a) == 1, a ** (n % 2), 0))
    return _power(a, n) if n.dtype.kind == "f" else a**n


_power = array_ops.exactly(np.power)


def _refuse_bool_powers(base: object, exponent: object) -> None:
    if is_bool(base) and is_bool(exponent) and isinstance(exponent, Tensor):
        raise no_kernel("pow", exponent.dtype)


def rounded_quotient(a: np.ndarray, b: np.ndarray, mode: str = "floor") -> np.ndarray:
    """a / b, rounded down or towards 0. RuntimeError for integers divided by 0."""
    if mode == "floor":
        _refuse_zero(a, b)
        return np.floor_divide(a, b)
    return np.trunc(a / b) if _floating(a, b) else np.floor_divide(a - fmod_of(a, b), b)


def remainder_of(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a % b, with the sign of b. RuntimeError for integers divided by 0."""
    if not _floating(a, b):
        _refuse_zero(a, b)
        return np.remainder(a, b)
    rest = fmod_of(a, b)
    return np.where((rest != 0) & ((rest < 0) != (b < 0)), rest + b, rest)


def fmod_of(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a % b, with the sign of a. RuntimeError for integers divided by 0."""
    _refuse_zero(a, b)
    return np.fmod(a, b)


def _floating(a: np.ndarray, b: np.ndarray) -> bool:
    return np.result_type(a, b).kind == "f"


def _refuse_zero(a: np.ndarray, b: np.ndarray) -> None:
    if not _floating(a, b) and not np.all(b):
        raise RuntimeError("ZeroDivisionError")


class DivRounded(Function, name="DivBackward2"):
    """a / b rounded to whole numbers, down ("floor") or towards 0 ("trunc"): flat, so both derivatives are 0."""

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, b: np.ndarray, mode: str) -> np.ndarray:
        ctx.save_for_backward(a if ctx.needs_input_grad[1] else None, b)
        return rounded_quotient(a, b, mode)

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        _ = ctx.saved_tensors  # an error if they were changed since
        return flat(grad_output), flat(grad_output)


class Remainder(Function):
    """a - n ⌊a/n⌋ for a number n, with the sign of n: d/da = 1. Nothing is saved."""

    rest = staticmethod(remainder_of)

    forward = staticmethod(lambda ctx, a, number: ctx.rest(a, number))
    backward = staticmethod(lambda ctx, grad_output: grad_output)


class RemainderTensor(Function, name="RemainderBackward1"):
    """a - b ⌊a/b⌋: d/da = 1, d/db = -⌊a/b⌋."""

    mode = "floor"
    rest = staticmethod(remainder_of)

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        if ctx.needs_input_grad[1]:
            ctx.save_for_backward(a, b)
        return ctx.rest(a, b)

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        if not ctx.needs_input_grad[1]:
            return grad_output, None
        a, b = ctx.saved_tensors
        divide = DivRounded.apply if array_ops.is_tensor(a, b) else rounded_quotient
        return grad_output, -grad_output * divide(a, b, mode=ctx.mode)


class Fmod(Remainder):
    """a minus a multiple of a number, with the sign of a: d/da = 1. Nothing is saved."""

    rest = staticmethod(fmod_of)


class FmodTensor(RemainderTensor, name="FmodBackward1"):
    """a minus a multiple of b, with the sign of a: d/da = 1, d/db = -(a/b rounded towards 0)."""

    mode, rest = "trunc", staticmethod(fmod_of)


@register("div", alias="divide true_divide", in_place=True)
def div(input: Tensor | Number, other: Tensor | Number, *, rounding_mode: object = None) -> Tensor:
    """input / other; integers become the default floating dtype. With a rounding_mode ("floor", or "trunc": towards 0)
    whole numbers, and integers stay. RuntimeError for another mode, and for integers divided by 0.
    """
    demand_one_tensor("div", input, other)
    if rounding_mode is None:
        return scalar.Div.apply(*with_a_float(input, other))
    if rounding_mode not in ("trunc", "floor"):
        expected = "expected rounding_mode to be one of None, 'trunc', or 'floor'"
        raise RuntimeError(f"div {expected} but found '{rounding_mode}'")
    _demand_operands(input, other, f"div_{rounding_mode}_cpu")
    return DivRounded.apply(input, other, mode=rounding_mode)


@register("remainder", in_place=True)
def remainder(input: Tensor | Number, other: Tensor | Number) -> Tensor:
    """input - other · ⌊input / other⌋, as Python's `%`. RuntimeError for integers divided by 0."""
    demand_one_tensor("remainder", input, other)
    _demand_operands(input, other, "remainder_cpu")
    if isinstance(input, Tensor):
        if isinstance(other, Tensor):
            return RemainderTensor.apply(input, other)
        return _by_number(Remainder, input, other)
    return _undifferentiable("remainder", remainder_of, input, other)


@register("fmod", in_place=True)
def fmod(input: Tensor, other: Tensor | Number) -> Tensor:
    """The remainder of input / other with the sign of input. RuntimeError for integers divided by 0."""
    _demand_operands(input, other, "fmod_cpu")
    tensor = isinstance(other, Tensor)
    return FmodTensor.apply(input, other) if tensor else _by_number(Fmod, input, other)


@register("floor_divide", in_place=True)
def floor_divide(input: Tensor | Number, other: Tensor | Number) -> Tensor:
    """⌊input / other⌋, as Python's `//`. Not differentiable in torch; RuntimeError for integers divided by 0."""
    demand_one_tensor("floor_divide", input, other)
    _demand_operands(input, other, "div_floor_cpu")
    return _undifferentiable("floor_divide", rounded_quotient, input, other)


def _undifferentiable(operation: str, value: Callable[..., np.ndarray], a: Any, b: Any) -> Tensor:
    """value(a, b), where a number is not an input of the node."""
    if not isinstance(a, Tensor):
        return Undifferentiable.apply(beside(b, a), operation=operation, value=lambda b: value(*dtypes.wrapped([a, b])))
    if not isinstance(b, Tensor):
        return Undifferentiable.apply(beside(a, b), operation=operation, value=lambda a: value(*dtypes.wrapped([a, b])))
    return Undifferentiable.apply(a, b, operation=operation, value=value)


def _demand_operands(a: Tensor | Number, b: Tensor | Number, kernel: str) -> None:
    """RuntimeError for shapes that do not fit, before any error for a 0; NotImplementedError for two bools."""
    demand_one_shape(a, b)
    if is_bool(a) and is_bool(b):
        raise no_kernel(kernel, common_dtype(a, b))
