"""Quotients, rounded or not, and what remains.

Mirrors https://docs.pytorch.org/docs/stable/generated/torch.div.html and
https://docs.pytorch.org/docs/stable/generated/torch.remainder.html
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import scalar
from minigrad.ops.operands import (
    Number,
    beside,
    common_dtype,
    demand_one_shape,
    demand_one_tensor,
    is_bool,
    no_kernel,
    with_a_float,
    with_a_tensor,
)
from minigrad.ops.registry import define_all
from minigrad.runtime import array_ops
from minigrad.scalar import Function
from minigrad.tensor import Tensor

UNSAID: Any = object()  # for a rounding_mode that the program does not give


class DivRounded(Function, name="DivBackward2"):
    """a / b rounded to whole numbers, down ("floor") or towards 0 ("trunc"): flat, so both derivatives are 0."""

    __slots__ = ()

    @staticmethod
    def forward(ctx: Any, a: Any, b: Any, mode: str) -> Any:
        needs_b = ctx.needs_input_grad[1]
        ctx.save_for_backward(a if needs_b else None, b)
        return rounded_quotient(a, b, mode)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        _ = ctx.saved_tensors  # an error if they were changed since
        nothing = array_ops.zeros(ctx.shape, ctx.dtype, grad_output)
        return nothing, nothing


class DivUnrounded(Function, name="DivBackward2"):
    """a / b where the program says `rounding_mode=None`: torch gives that a node of its own."""

    __slots__ = ()

    @staticmethod
    def forward(ctx: Any, a: Any, b: Any) -> Any:
        return scalar.Div.forward(ctx, a, b)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return scalar.Div.backward(ctx, grad_output)


class Remainder(Function):
    """a - n ⌊a/n⌋ for a number n, which gives it its sign: d/da = 1. Nothing is saved."""

    __slots__ = ()

    @staticmethod
    def forward(ctx: Any, a: Any, number: Any) -> Any:
        return remainder_of(a, number)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return grad_output


class RemainderTensor(Function, name="RemainderBackward1"):
    """a - b ⌊a/b⌋: d/da = 1, d/db = -⌊a/b⌋."""

    __slots__ = ()
    mode = "floor"
    value = staticmethod(lambda a, b: remainder_of(a, b))

    @staticmethod
    def forward(ctx: Any, a: Any, b: Any) -> Any:
        if ctx.needs_input_grad[1]:
            ctx.save_for_backward(a, b)
        return ctx.value(a, b)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        if not ctx.needs_input_grad[1]:
            return grad_output, None
        a, b = ctx.saved_tensors
        quotient = (
            DivRounded.apply(a, b, mode=ctx.mode) if array_ops.is_tensor(a, b) else rounded_quotient(a, b, ctx.mode)
        )
        return grad_output, -grad_output * quotient


class Fmod(Remainder):
    """a minus a multiple of a number, with the sign of a: d/da = 1. Nothing is saved."""

    __slots__ = ()

    @staticmethod
    def forward(ctx: Any, a: Any, number: Any) -> Any:
        return fmod_of(a, number)


class FmodTensor(RemainderTensor, name="FmodBackward1"):
    """a minus a multiple of b, with the sign of a: d/da = 1, d/db = -(a/b rounded towards 0)."""

    __slots__ = ()
    mode = "trunc"
    value = staticmethod(lambda a, b: fmod_of(a, b))


class Undifferentiable(Function, name="NotImplemented"):
    """An operation to which torch gives a node, but no derivative: RuntimeError in a backward pass."""

    __slots__ = ("operation",)

    @staticmethod
    def forward(
        ctx: Any, *operands: Any, operation: str = "", value: Any = None, before: tuple = (), after: tuple = ()
    ) -> Any:
        ctx.operation = operation
        return value(*before, *operands, *after)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        raise RuntimeError(f"derivative for aten::{ctx.operation} is not implemented")

    def name(self) -> str:
        return "torch::autograd::NotImplemented"


def div(input: Tensor | Number, other: Tensor | Number, *, rounding_mode: Any = UNSAID) -> Tensor:
    """input / other; integers meet in the default floating dtype. With a rounding_mode ("floor", or "trunc": towards 0)
    whole numbers, and integers stay. RuntimeError for another mode, and for integers divided by 0, NotImplementedError
    for bools.
    """
    input = with_a_tensor(input, other)
    if rounding_mode in (None, UNSAID):
        operation = scalar.Div if rounding_mode is UNSAID else DivUnrounded
        operands = with_a_float(input, other)
        return operation.apply(*operands)
    if rounding_mode not in ("trunc", "floor"):
        raise RuntimeError(
            f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'"
        )
    _demand_operands(input, other, f"div_{rounding_mode}_cpu")
    return DivRounded.apply(input, other, mode=rounding_mode)


def true_divide(input: Tensor | Number, other: Tensor | Number) -> Tensor:
    """input / other; integers meet in the default floating dtype."""
    return div(input, other)


def remainder(input: Tensor | Number, other: Tensor | Number) -> Tensor:
    """input - other · ⌊input / other⌋, as Python's `%`. RuntimeError for integers divided by 0."""
    demand_one_tensor("remainder", input, other)
    _demand_operands(input, other, "remainder_cpu")
    if isinstance(input, Tensor):
        if isinstance(other, Tensor):
            return RemainderTensor.apply(input, other)
        return Remainder.apply(beside(input, other), number=other)
    assert isinstance(other, Tensor)
    return Undifferentiable.apply(beside(other, input), operation="remainder", value=remainder_of, before=(input,))


def fmod(input: Tensor, other: Tensor | Number) -> Tensor:
    """The remainder of input / other that has the sign of input. RuntimeError for integers divided by 0."""
    _demand_operands(input, other, "fmod_cpu")
    if isinstance(other, Tensor):
        return FmodTensor.apply(input, other)
    return Fmod.apply(beside(input, other), number=other)


def floor_divide(input: Tensor | Number, other: Tensor | Number) -> Tensor:
    """⌊input / other⌋, as Python's `//`. Not differentiable in torch; RuntimeError for integers divided by 0."""
    input = with_a_tensor(input, other)
    _demand_operands(input, other, "div_floor_cpu")
    floored: dict[str, Any] = {"operation": "floor_divide", "value": rounded_quotient}
    if isinstance(input, Tensor):
        if isinstance(other, Tensor):
            return Undifferentiable.apply(input, other, **floored)
        return Undifferentiable.apply(beside(input, other), after=(other,), **floored)
    assert isinstance(other, Tensor)
    return Undifferentiable.apply(beside(other, input), before=(input,), **floored)


def rounded_quotient(a: Any, b: Any, mode: str = "floor") -> Any:
    """a / b, rounded down or towards 0. RuntimeError for integers divided by 0."""
    if mode == "floor":
        _refuse_zero(a, b)
        return np.floor_divide(a, b)
    return np.trunc(a / b) if _floating(a, b) else np.floor_divide(a - fmod_of(a, b), b)


def remainder_of(a: Any, b: Any) -> Any:
    """a % b, with the sign of b. RuntimeError for integers divided by 0."""
    rest = fmod_of(a, b)
    return np.where((rest != 0) & ((rest < 0) != (b < 0)), rest + b, rest)


def fmod_of(a: Any, b: Any) -> Any:
    """a % b, with the sign of a. RuntimeError for integers divided by 0."""
    _refuse_zero(a, b)
    return np.fmod(a, b)


def _floating(a: Any, b: Any) -> bool:
    return (a if isinstance(a, (np.ndarray, np.generic)) else b).dtype.kind == "f"


def _refuse_zero(a: Any, b: Any) -> None:
    if not _floating(a, b) and np.any(b == 0):
        raise RuntimeError("ZeroDivisionError")


def _demand_operands(a: Any, b: Any, kernel: str) -> None:
    """RuntimeError for shapes that do not meet, before any for a 0; NotImplementedError for two bools."""
    demand_one_shape(a, b)
    if is_bool(a) and is_bool(b):
        raise no_kernel(kernel, common_dtype(a, b))


define_all(globals(), "div divide=div true_divide remainder fmod floor_divide", in_place=True)
