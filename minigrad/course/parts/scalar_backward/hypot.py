"""The part `hypot`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from typing import Any

from minigrad.course.parts import Mistakes, Part
from minigrad.course.program import Place
from minigrad.scalar import Function

mistake = Mistakes("hypot")


class SavesHypotenuse(Function):
    """What the wrong versions of hypot share: the forward."""

    @staticmethod
    def forward(ctx: Any, a: Any, b: Any) -> Any:
        h = (a * a + b * b) ** 0.5
        ctx.save_for_backward(a, b, h)
        return h


@mistake("no upstream", "the local derivatives are returned alone, and the upstream gradient is forgotten")
class HypotWithoutUpstream(SavesHypotenuse):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, b, h = ctx.saved_tensors
        return a / h, b / h


@mistake("inner derivative only", "the sides are not divided by h: the derivative of the root is missing")
class HypotWithoutRoot(SavesHypotenuse):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, b, _h = ctx.saved_tensors
        return grad_output * a, grad_output * b


@mistake("half of the chain", "1/(2h) is not multiplied by the inner derivatives 2a and 2b")
class HypotWithoutInner(SavesHypotenuse):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        _a, _b, h = ctx.saved_tensors
        return grad_output / (2 * h), grad_output / (2 * h)


@mistake("halved", "the 2 of 1/(2h) is still there: the inner derivatives 2a and 2b cancel it, which leaves a/h")
class HypotHalved(SavesHypotenuse):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, b, h = ctx.saved_tensors
        return grad_output * a / (2 * h), grad_output * b / (2 * h)


part = Part(
    Place("hypot", "operation", "hypot", node="HypotBackward0"),
    points=3,
    minutes=10,
    difficulty=2,
    hints=(
        "Write h = s^½ with s = a² + b², and use the chain rule. `** 0.5` is the root.",
        "dh/da = 1/(2h) · 2a = a/h, and dh/db is the same with b. So save a, b and h itself on the way forward.",
        "Both local derivatives are multiplied by `grad_output`.",
    ),
    mistakes=tuple(mistake),
    twins=("minigrad.ops.ternary:hypot", "minigrad.ops.ternary:Hypot.forward"),
)
