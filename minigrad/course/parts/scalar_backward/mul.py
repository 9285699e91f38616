"""The part `mul`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from typing import Any

from minigrad.course.parts import Mistakes, Part
from minigrad.course.program import Place
from minigrad.scalar import Function

mistake = Mistakes("mul")


class SavesBoth(Function):
    """What the wrong versions of `*` share: the forward."""

    @staticmethod
    def forward(ctx: Any, a: Any, b: Any) -> Any:
        ctx.save_for_backward(a, b)
        return a * b


@mistake("no upstream", "the local derivatives are returned alone, and the upstream gradient is forgotten")
class MulWithoutUpstream(SavesBoth):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, b = ctx.saved_tensors
        return b, a


@mistake("swapped", "the two gradients are swapped: d(ab)/da is b, not a")
class MulSwapped(SavesBoth):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, b = ctx.saved_tensors
        return grad_output * a, grad_output * b


@mistake("one path", "only the first factor gets a gradient; a product has two inputs, and both need one")
class MulOneSided(SavesBoth):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        _a, b = ctx.saved_tensors
        return grad_output * b, None


part = Part(
    Place("mul", "engine", "Mul", "minigrad.scalar", node="MulBackward0"),
    points=1,
    minutes=4,
    difficulty=1,
    hints=(
        "Two inputs, so `backward` returns two gradients, in the order of the inputs.",
        "The share of a is `grad_output` times the local derivative to a. What is d(ab)/da? And d(ab)/db?",
        "d(ab)/da = b, so the first of the two is `grad_output * b`.",
    ),
    mistakes=tuple(mistake),
)
