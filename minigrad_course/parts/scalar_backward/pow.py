"""The part `pow`: its hints, and the mistakes people make in it."""

from __future__ import annotations

import numpy as np

from minigrad.scalar import Function
from minigrad_course.parts import Mistakes, Part
from minigrad_course.programs.program import Place

mistake = Mistakes("pow")


class SavesBase(Function):
    """Shared by the wrong versions of `**` : the forward."""

    exponent: float

    @staticmethod
    def forward(ctx: SavesBase, a: np.ndarray, exponent: float) -> np.ndarray:
        ctx.save_for_backward(a)
        ctx.exponent = exponent
        return a**exponent

    @staticmethod
    def known(ctx: SavesBase) -> tuple[np.ndarray, float]:
        return *ctx.saved_tensors, ctx.exponent


for name, explanation, shares in (
    (
        "no upstream",
        "you return the local derivative alone and forget the upstream gradient",
        lambda grad, a, n: n * a ** (n - 1),
    ),
    ("no factor", "a factor is missing: try a², whose derivative you know", lambda grad, a, n: grad * a ** (n - 1)),
    (
        "exponent kept",
        "the exponent is not lowered by one",
        lambda grad, a, n: grad * n * a**n,
    ),
    (
        "squares only",
        "the power is missing: n·a is right for squares only",
        lambda grad, a, n: grad * n * a,
    ),
    (
        "always a square",
        "2a is the derivative of a², but n may be any number",
        lambda grad, a, n: grad * 2 * a,
    ),
    (
        "no brackets",
        "1 is subtracted from the power, because `**` binds before `-`: write `a ** (n - 1)`",
        lambda grad, a, n: grad * n * a**n - 1,
    ),
    ("raised", "the exponent is raised by one; it has to be lowered", lambda grad, a, n: grad * n * a ** (n + 1)),
    (
        "integrated",
        "that is the integral, aⁿ⁺¹/(n + 1), and not the derivative",
        lambda grad, a, n: grad * a ** (n + 1) / (n + 1),
    ),
    (
        "by the exponent",
        "aⁿ·log(a) is the derivative with respect to n; here you need the one with respect to a",
        lambda grad, a, n: grad * a**n * np.log(a),
    ),
    (
        "changed places",
        "a and n are swapped: n is the exponent",
        lambda grad, a, n: grad * a * float(n) ** (n - 1),
    ),
    (
        "factor lowered",
        "the factor is n - 1: n itself comes down in front, and only the exponent is lowered",
        lambda grad, a, n: grad * (n - 1) * a ** (n - 1),
    ),
):
    mistake.backward(SavesBase, name, explanation, shares)


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
    probe="""
for base, n in ((4.0, 2), (4.0, 3), (4.0, 0.5), (4.0, -1), (-3.0, 3)):
    slopes(lambda a: a**n, base, upstream=5.0)
slopes(lambda a: a**3, 2.0, upstream=1.0)
""",
)
