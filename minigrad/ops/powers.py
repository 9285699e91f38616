"""Powers: of a tensor to a tensor, of a number to a tensor; a tensor to a number is `scalar.Pow`.

Mirrors https://docs.pytorch.org/docs/stable/generated/torch.pow.html
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import scalar
from minigrad.compat import dtypes
from minigrad.ops.operands import Number, beside, converted, demand_one_shape, demand_one_tensor, is_bool, no_kernel
from minigrad.ops.registry import define
from minigrad.runtime import array_ops
from minigrad.scalar import Function
from minigrad.tensor import Tensor


class PowTensor(Function, name="PowBackward1"):
    """a ** b for two tensors: d/da = b · a^(b-1), d/db = a^b · log a. 0 ** 0 has both derivatives 0."""

    __slots__ = ()
    saves = ("self", "exponent")

    @staticmethod
    def forward(ctx: Any, a: Any, b: Any) -> Any:
        result = _power_of_arrays(a, b)
        ctx.save_for_backward(a, b, result)
        return result

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
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

    __slots__ = ("base",)
    saves = ("exponent",)

    @staticmethod
    def forward(ctx: Any, b: Any, base: Any) -> Any:
        result = _power_of_arrays(np.asarray(base, b.dtype), b)
        ctx.save_for_backward(b, result)
        ctx.base = base
        return result

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        b, result = ctx.saved_tensors
        raw_b = array_ops.raw(b)
        log = np.log(np.asarray(float(ctx.base), raw_b.dtype)).item()
        if ctx.base == 0:
            return grad_output * array_ops.where(raw_b >= 0, 0, result * log)
        return grad_output * (result * log)


def pow(input: Tensor | Number, exponent: Tensor | Number) -> Tensor:
    """input to the power of exponent: two tensors, or a tensor and a number. RuntimeError for integers to a negative
    number.
    """
    kind = type(exponent)
    if (kind is int or kind is float) and isinstance(input, Tensor) and input._array.dtype.kind == "f":
        return scalar.Pow.apply(input, exponent=exponent)  # nothing to refuse, nothing to convert
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


def square(input: Tensor) -> Tensor:
    """input²."""
    return pow(input, 2)


def float_power(input: Tensor | Number, exponent: Tensor | Number) -> Tensor:
    """input to the power of exponent, both in float64."""
    wide = [converted(each, dtypes.float64) if isinstance(each, Tensor) else float(each) for each in (input, exponent)]
    return pow(*wide)


def _power_of_arrays(a: Any, n: Any) -> Any:
    """a ** n; a negative power of an integer is 0, but for 1 and -1."""
    if n.dtype.kind == "i" and (n < 0).any():
        odd = n % 2 == 1
        return np.where(n >= 0, a ** abs(n), np.where(a == 1, 1, np.where(a == -1, np.where(odd, -1, 1), 0)))
    return _power(a, n) if n.dtype.kind == "f" else a**n


_power = array_ops.exactly(np.power)


def _refuse_bool_powers(base: Any, exponent: Any) -> None:
    if is_bool(base) and is_bool(exponent) and isinstance(exponent, Tensor):
        demand_one_shape(exponent, base)
        raise no_kernel("pow", exponent.dtype)


define("pow", pow, in_place=True)
define("square", square, in_place=True)
define("float_power", float_power)
