"""The part `mean`: its hints, and the mistakes people make in it."""

from __future__ import annotations

import math

import numpy as np

from minigrad.scalar import Function
from minigrad_course.parts import Mistakes, Part
from minigrad_course.programs.program import Place

mistake = Mistakes("mean")


class Means(Function):
    """Shared by the wrong versions of the mean : the forward."""

    input_shape: tuple[int, ...]

    @staticmethod
    def forward(ctx: Means, a: np.ndarray) -> np.ndarray:
        ctx.input_shape = a.shape
        return a.mean()

    @staticmethod
    def known(ctx: Means) -> tuple[tuple[int, ...]]:
        return (ctx.input_shape,)


for name, explanation, shares in (
    (
        "no upstream",
        "every entry gets 1/n and you forget the upstream gradient",
        lambda grad, shape: np.full(shape, 1 / math.prod(shape)),
    ),
    (
        "not divided",
        "the division by the number of entries is missing; that is what a sum does",
        lambda grad, shape: np.full(shape, grad),
    ),
    (
        "one less",
        "the division is by n - 1, as in a variance; the mean is over all n entries",
        lambda grad, shape: np.full(shape, grad / max(math.prod(shape) - 1, 1)),
    ),
    (
        "rows counted",
        "the division is by the number of rows; the mean is over all entries",
        lambda grad, shape: np.full(shape, grad / shape[0]),
    ),
    (
        "columns counted",
        "the division is by the size of the last axis; the mean is over all entries",
        lambda grad, shape: np.full(shape, grad / shape[-1]),
    ),
    (
        "axes counted",
        "the division is by the number of axes; the mean is over all entries, whose number is the product of the sizes",
        lambda grad, shape: np.full(shape, grad / len(shape)),
    ),
    (
        "sizes added",
        "the sizes of the axes are added; the number of entries is their product",
        lambda grad, shape: np.full(shape, grad / sum(shape)),
    ),
    (
        "times n",
        "the upstream gradient is multiplied by the number of entries; a mean divides by it",
        lambda grad, shape: np.full(shape, grad * math.prod(shape)),
    ),
    (
        "one number",
        "the result does not have the shape of the input: every entry needs its own number",
        lambda grad, shape: grad / math.prod(shape),
    ),
):
    mistake.backward(Means, name, explanation, shares)


part = Part(
    Place("mean", "engine", "Mean", "minigrad.upstream", node="MeanBackward0"),
    points=1,
    minutes=4,
    difficulty=1,
    hints=(
        "A mean is a sum divided by n, the number of all entries. What does that do to each derivative?",
        "n is the product of all sizes: `np.prod(ctx.input_shape)`. Every entry gets the upstream gradient "
        "divided by n.",
    ),
    mistakes=tuple(mistake),
    probe="""
for value in ([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [1.0, 2.0], [[[1.0]], [[2.0]]]):
    slopes(lambda a: a.mean(), value, upstream=5.0)
    slopes(lambda a: a.mean(), value, upstream=1.0)
""",
)
