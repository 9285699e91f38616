"""The part `div`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from typing import Any

from minigrad.course.parts import Mistakes, Part
from minigrad.course.program import Place
from minigrad.scalar import Function

mistake = Mistakes("div")


class SavesQuotient(Function):
    """What the wrong versions of `/` share: the forward."""

    @staticmethod
    def forward(ctx: Any, a: Any, b: Any) -> Any:
        ctx.save_for_backward(a, b)
        return a / b


@mistake("no upstream", "the local derivatives are returned alone, and the upstream gradient is forgotten")
class DivWithoutUpstream(SavesQuotient):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, b = ctx.saved_tensors
        return 1 / b, -a / b**2


@mistake("upstream once", "only one of the two local derivatives is multiplied by the upstream gradient")
class DivUpstreamOnce(SavesQuotient):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, b = ctx.saved_tensors
        return grad_output / b, -a / b**2


@mistake("swapped", "the two gradients are swapped: 1/b belongs to a, and -a/b² to b")
class DivSwapped(SavesQuotient):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, b = ctx.saved_tensors
        return -grad_output * a / b**2, grad_output / b


@mistake("no minus", "the minus sign of d(a/b)/db = -a/b² is missing: a larger divisor, a smaller quotient")
class DivWithoutMinus(SavesQuotient):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, b = ctx.saved_tensors
        return grad_output / b, grad_output * a / b**2


@mistake("no square", "b is not squared in d(a/b)/db = -a/b²")
class DivWithoutSquare(SavesQuotient):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, b = ctx.saved_tensors
        return grad_output / b, -grad_output * a / b


part = Part(
    Place("div", "engine", "Div", "minigrad.scalar", node="DivBackward0"),
    points=2,
    minutes=6,
    difficulty=1,
    hints=(
        "Write a/b as a · b⁻¹. Then the product rule and the power rule give both derivatives.",
        "Both local derivatives are multiplied by `grad_output`.",
        "d(a/b)/da = 1/b and d(a/b)/db = -a/b².",
    ),
    mistakes=tuple(mistake),
)
