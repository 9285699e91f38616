"""The part `pow`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from typing import Any

from minigrad.course.parts import Mistakes, Part
from minigrad.course.program import Place
from minigrad.scalar import Function

mistake = Mistakes("pow")


class SavesBase(Function):
    """What the wrong versions of `**` share: the forward."""

    @staticmethod
    def forward(ctx: Any, a: Any, exponent: Any) -> Any:
        ctx.save_for_backward(a)
        ctx.exponent = exponent
        return a**exponent


@mistake("no upstream", "the local derivative is returned alone, and the upstream gradient is forgotten")
class PowWithoutUpstream(SavesBase):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        (a,) = ctx.saved_tensors
        return ctx.exponent * a ** (ctx.exponent - 1)


@mistake("no factor", "the factor n is missing: the derivative of aⁿ is n·aⁿ⁻¹")
class PowWithoutFactor(SavesBase):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        (a,) = ctx.saved_tensors
        return grad_output * a ** (ctx.exponent - 1)


@mistake("exponent kept", "the exponent is not lowered by one: the derivative of aⁿ is n·aⁿ⁻¹")
class PowExponentKept(SavesBase):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        (a,) = ctx.saved_tensors
        return grad_output * ctx.exponent * a**ctx.exponent


@mistake("squares only", "the power is missing: n·a is right for squares only, the derivative of aⁿ is n·aⁿ⁻¹")
class PowOfSquares(SavesBase):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        (a,) = ctx.saved_tensors
        return grad_output * ctx.exponent * a


@mistake("no brackets", "1 is subtracted from the power, because `**` binds before `-`: write `a ** (n - 1)`")
class PowWithoutBrackets(SavesBase):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        (a,) = ctx.saved_tensors
        return grad_output * ctx.exponent * a**ctx.exponent - 1


part = Part(
    Place("pow", "engine", "Pow", "minigrad.scalar", node="PowBackward0"),
    points=1,
    minutes=4,
    difficulty=1,
    hints=(
        "Write down d(aⁿ)/da. Then ask what `grad_output` is for.",
        "d(aⁿ)/da = n · aⁿ⁻¹, times `grad_output`.",
    ),
    mistakes=tuple(mistake),
)
