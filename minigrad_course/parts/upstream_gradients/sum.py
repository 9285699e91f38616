"""The part `sum`: its hints, and the mistakes people make in it."""

from __future__ import annotations

import math

import numpy as np

from minigrad.scalar import Function
from minigrad.tensor import Value
from minigrad_course.parts import Mistakes, Part
from minigrad_course.programs.program import Place

mistake = Mistakes("sum")


class Sums(Function):
    """Shared by the wrong versions of the sum : the forward."""

    input_shape: tuple[int, ...]

    @staticmethod
    def forward(ctx: Sums, a: np.ndarray) -> np.ndarray:
        ctx.input_shape = a.shape
        return a.sum()

    @staticmethod
    def known(ctx: Sums) -> tuple[tuple[int, ...]]:
        return (ctx.input_shape,)


for name, explanation, shares in (
    (
        "no upstream",
        "every entry gets 1 and you forget the upstream gradient",
        lambda grad, shape: np.ones(shape),
    ),
    (
        "one number",
        "the result does not have the shape of the input: the upstream gradient of a sum is one number, but every "
        "entry needs its own",
        lambda grad, shape: grad,
    ),
    (
        "shared out",
        "the upstream gradient is divided among the entries; that is what a mean does",
        lambda grad, shape: np.full(shape, grad / math.prod(shape)),
    ),
    (
        "times n",
        "the upstream gradient is multiplied by the number of entries; every local derivative of a sum is 1",
        lambda grad, shape: np.full(shape, grad * math.prod(shape)),
    ),
    (
        "as a tensor",
        "you call a tensor method, but backward gets numpy arrays: `np.ones` makes one",
        lambda grad, shape: grad.expand(shape),
    ),
    (
        "zeros",
        "every entry gets 0, as if it did not contribute to the sum; each local derivative is 1",
        lambda grad, shape: np.zeros(shape),
    ),
    (
        "arrays alone",
        "an array in front, or `np.full`, makes an array of `grad_output`, which is a tensor in a second derivative: "
        "the order in which you multiply matters",
        lambda grad, shape: np.full(shape, grad),
    ),
    (
        "times the shape",
        "you multiply by the shape, a tuple: multiply by an array of that shape",
        lambda grad, shape: grad * shape,
    ),
):
    mistake.backward(Sums, name, explanation, shares)


@mistake(
    "saved for numpy",
    "you give a saved value to a function of numpy, and in a second derivative that is a tensor, too: the shape is all "
    "that is needed of it",
)
class SavedForNumpy(Function):
    @staticmethod
    def forward(ctx: Function, a: np.ndarray) -> np.ndarray:
        ctx.save_for_backward(a)
        return a.sum()

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Value:
        (a,) = ctx.saved_tensors
        return grad_output * np.ones_like(a)


part = Part(
    Place("sum", "engine", "Sum", "minigrad.upstream", node="SumBackward0"),
    points=1,
    minutes=5,
    difficulty=1,
    hints=(
        "If one entry grows by a tiny step, by how much does the sum grow? Does it matter which entry?",
        "Every local derivative is 1, so every entry gets the upstream gradient, unchanged.",
        "`np.ones(ctx.input_shape)` makes an array of ones of that shape. Multiply `grad_output` by it.",
    ),
    mistakes=tuple(mistake),
    probe="""
for value in ([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [1.0, 2.0], [[[1.0]], [[2.0]]]):
    slopes(lambda a: a.sum(), value, upstream=5.0)
    slopes(lambda a: a.sum(), value, upstream=1.0)
""",
)
