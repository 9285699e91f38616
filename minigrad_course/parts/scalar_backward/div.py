"""The part `div`: its hints, and the mistakes people make in it."""

from __future__ import annotations

import numpy as np

from minigrad.scalar import Function
from minigrad_course.parts import Mistakes, Part
from minigrad_course.programs.program import Place

mistake = Mistakes("div")


class SavesQuotient(Function):
    """Shared by the wrong versions of `/` : the forward."""

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        ctx.save_for_backward(a, b)
        return a / b


ONE = "you multiply only one of the two local derivatives by the upstream gradient"

for name, explanation, shares in (
    (
        "no upstream",
        "you return the local derivatives alone and forget the upstream gradient",
        lambda grad, a, b: (1 / b, -a / b**2),
    ),
    ("upstream once", ONE, lambda grad, a, b: (grad / b, -a / b**2)),
    ("upstream once, for b", ONE, lambda grad, a, b: (1 / b, -grad * a / b**2)),
    (
        "swapped",
        "the two gradients are swapped: the first belongs to a",
        lambda grad, a, b: (-grad * a / b**2, grad / b),
    ),
    (
        "no minus",
        "a minus sign is missing: with a larger divisor comes a smaller quotient",
        lambda grad, a, b: (grad / b, grad * a / b**2),
    ),
    (
        "no square",
        "a power is missing: write a/b as a · b⁻¹, and lower the exponent by one",
        lambda grad, a, b: (grad / b, -grad * a / b),
    ),
    ("no a", "a is missing in b's share: a/b is a times 1/b", lambda grad, a, b: (grad / b, -grad / b**2)),
    (
        "one path",
        "only a gets a gradient; a quotient has two inputs, and both need one",
        lambda grad, a, b: (grad / b, None),
    ),
    (
        "as a product",
        "that is the rule of a product, and this is a quotient",
        lambda grad, a, b: (grad * b, grad * a),
    ),
    (
        "one over each",
        "each gets 1 over the other, as if a and b played the same role in a/b: d(a/b)/db is -a/b²",
        lambda grad, a, b: (grad / b, grad / a),
    ),
    (
        "one over a",
        "a's share is divided by a: ask by how much a/b grows if a grows by 1",
        lambda grad, a, b: (grad / a, -grad * a / b**2),
    ),
    (
        "times b",
        "a's share is multiplied by b, as in a product: ask by how much a/b grows if a grows by 1",
        lambda grad, a, b: (grad * b, -grad * a / b**2),
    ),
):
    mistake.backward(SavesQuotient, name, explanation, shares)


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
    probe="""
slopes(lambda a, b: a / b, 3.0, 4.0, upstream=5.0)
slopes(lambda a, b: a / b, 3.0, -4.0, upstream=1.0)
slopes(lambda a, b: a / b, -7.0, 5.0, upstream=11.0)
""",
)
