"""The part `mean`: its hints, and the mistakes people make in it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad.course.parts import Mistakes, Part
from minigrad.course.program import Place
from minigrad.scalar import Function

mistake = Mistakes("mean")


class Means(Function):
    """What the wrong versions of the mean share: the forward."""

    @staticmethod
    def forward(ctx: Any, a: Any) -> Any:
        ctx.input_shape = a.shape
        return a.mean()


@mistake("no upstream", "every entry gets 1/n, and the upstream gradient is forgotten")
class MeanWithoutUpstream(Means):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return np.full(ctx.input_shape, 1 / math.prod(ctx.input_shape))


@mistake("not divided", "the division by the number of entries is missing; that is what a sum does")
class MeanNotDivided(Means):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return np.full(ctx.input_shape, grad_output)


@mistake("rows counted", "the division is by the number of rows, or of axes; the mean is over all entries")
class MeanOfRows(Means):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return np.full(ctx.input_shape, grad_output / ctx.input_shape[0])


@mistake("one number", "what is returned has not the shape of the input: every entry needs its own number")
class MeanNotCopied(Means):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return grad_output / math.prod(ctx.input_shape)


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
    twins=("minigrad.runtime.array_ops:expand", "minigrad.runtime.array_ops:spread"),
)
