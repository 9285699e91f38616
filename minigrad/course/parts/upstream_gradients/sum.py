"""The part `sum`: its hints, and the mistakes people make in it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad.course.parts import Mistakes, Part
from minigrad.course.program import Place
from minigrad.scalar import Function

mistake = Mistakes("sum")


class Sums(Function):
    """What the wrong versions of the sum share: the forward."""

    @staticmethod
    def forward(ctx: Any, a: Any) -> Any:
        ctx.input_shape = a.shape
        return a.sum()


@mistake("no upstream", "every entry gets 1, and the upstream gradient is forgotten")
class SumWithoutUpstream(Sums):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return np.ones(ctx.input_shape)


@mistake(
    "one number",
    "what is returned has not the shape of the input: the upstream gradient of a sum is one number, and every entry "
    "needs its own",
)
class SumNotCopied(Sums):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return grad_output


@mistake("shared out", "the upstream gradient is divided among the entries; that is what a mean does")
class SumSharedOut(Sums):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return np.full(ctx.input_shape, grad_output / math.prod(ctx.input_shape))


part = Part(
    Place("sum", "engine", "Sum", "minigrad.upstream", node="SumBackward0"),
    points=1,
    minutes=5,
    difficulty=1,
    hints=(
        "If one entry grows by a tiny step, by how much does the sum grow? Does it matter which entry?",
        "Every local derivative is 1, so every entry gets the upstream gradient, unchanged.",
        "`np.full(shape, number)` is an array of a shape, filled with a number.",
    ),
    mistakes=tuple(mistake),
    twins=("minigrad.runtime.array_ops:expand", "minigrad.runtime.array_ops:spread"),
)
