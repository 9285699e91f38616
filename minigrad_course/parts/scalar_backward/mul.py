"""The part `mul`: its hints, and the mistakes people make in it."""

from __future__ import annotations

import numpy as np

from minigrad.scalar import Function
from minigrad_course.parts import Mistakes, Part
from minigrad_course.programs.program import Place

mistake = Mistakes("mul")


class SavesBoth(Function):
    """Shared by the wrong versions of `*` : the forward."""

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        ctx.save_for_backward(a, b)
        return a * b


ONE = "only one of the two shares contains the upstream gradient; multiply both by it"

for name, explanation, shares in (
    (
        "no upstream",
        "you return the local derivatives alone and forget the upstream gradient",
        lambda grad, a, b: (b, a),
    ),
    (
        "swapped",
        "the two gradients are swapped: ask by how much ab grows with a",
        lambda grad, a, b: (grad * a, grad * b),
    ),
    (
        "one path",
        "only the first factor gets a gradient; a product has two inputs, and both need one",
        lambda grad, a, b: (grad * b, None),
    ),
    ("upstream once", ONE, lambda grad, a, b: (grad * b, a)),
    ("upstream once, for b", ONE, lambda grad, a, b: (b, grad * a)),
    (
        "added",
        "you add the upstream gradient to the local derivative; the chain rule multiplies them",
        lambda grad, a, b: (grad + b, grad + a),
    ),
    (
        "upstream alone",
        "you pass the upstream gradient on unchanged and forget the local derivatives: that is what a sum does",
        lambda grad, a, b: (grad, grad),
    ),
    (
        "both factors",
        "each share contains both factors, which makes it the product again: ask by how much ab grows if a grows by 1",
        lambda grad, a, b: (grad * a * b, grad * a * b),
    ),
    (
        "stored",
        "you write the shares to `.grad` of the saved values, but those are plain numbers: return the shares, and the "
        "walk takes them to the leaves",
        lambda grad, a, b: setattr(a, "grad", grad * b),
    ),
):
    mistake.backward(SavesBoth, name, explanation, shares)


part = Part(
    Place("mul", "engine", "Mul", "minigrad.scalar", node="MulBackward0"),
    points=1,
    minutes=4,
    difficulty=1,
    hints=(
        "Two inputs, so `backward` returns two gradients, in the order of the inputs.",
        "The share of a is `grad_output` times the local derivative with respect to a. What is d(ab)/da? And d(ab)/db?",
        "d(ab)/da = b, so the first of the two is `grad_output * b`.",
    ),
    mistakes=tuple(mistake),
    probe="""
slopes(lambda a, b: a * b, 2.0, -3.0, upstream=5.0)
slopes(lambda a, b: a * b, 2.0, 7.0, upstream=1.0)
slopes(lambda a, b: a * b, -5.0, 3.0, upstream=11.0)
""",
)
