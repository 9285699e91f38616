"""The part `mv`: its hints, and the mistakes people make in it."""

from __future__ import annotations

import numpy as np

from minigrad.scalar import Function
from minigrad_course.parts import Mistakes, Part
from minigrad_course.programs.program import Place

mistake = Mistakes("mv")


class SavesMatrixAndVector(Function):
    """Shared by the wrong versions of A @ x : the forward."""

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, x: np.ndarray) -> np.ndarray:
        ctx.save_for_backward(a, x)
        return a @ x


for name, explanation, shares in (
    (
        "no upstream",
        "you add up the slices without their weights, as if the upstream gradient were ones",
        lambda grad, a, x: (np.ones_like(a) * x, a.sum(0)),
    ),
    (
        "not transposed",
        "the matrix is not transposed: the rows of A are added up, each with its weight",
        lambda grad, a, x: (grad[:, None] * x, a @ grad),
    ),
    (
        "not every pair",
        "you multiply v and x as they are; the gradient of A is vᵢxⱼ for every pair, so give v a second axis",
        lambda grad, a, x: (grad * x, a.T @ grad),
    ),
    (
        "no outer product",
        "you multiply v and x with `@`, which adds up; the gradient of A is vᵢxⱼ for every pair, so give v a "
        "second axis and use `*`",
        lambda grad, a, x: (grad @ x.T, a.T @ grad),
    ),
    (
        "rows not added up",
        "x's gradient keeps the shape of A: the engine adds its rows up for you, and it has to come out of your "
        "`backward` in the shape of x",
        lambda grad, a, x: (grad[:, None] * x, a * grad[:, None]),
    ),
    (
        "upstream for A only",
        "you use the upstream gradient only for A's gradient: x's is the sum of vᵢ · row i of A",
        lambda grad, a, x: (grad[:, None] * x, a.sum(0)),
    ),
    (
        "swapped",
        "the two gradients are swapped: A's comes first, because A is the first input",
        lambda grad, a, x: (a.T @ grad, grad[:, None] * x),
    ),
    (
        "upstream once",
        "you use the upstream gradient only for x.grad: row i of A's gradient is vᵢ · x",
        lambda grad, a, x: (np.ones_like(a) * x, a.T @ grad),
    ),
    (
        "other layout",
        "the gradient of A is transposed: entry (i, j) is vᵢxⱼ, in the shape of A",
        lambda grad, a, x: (x[:, None] * grad, a.T @ grad),
    ),
    (
        "inputs alone",
        "you return the other input as it is: weight it with v, and add up",
        lambda grad, a, x: (x, a),
    ),
    (
        "inputs alone, transposed",
        "you return the other input as it is: weight it with v, and add up",
        lambda grad, a, x: (x, a.T),
    ),
    (
        "as with numbers",
        "you multiply entry by entry, as with numbers: draw the slices first, and add them up",
        lambda grad, a, x: (grad * x, grad * a),
    ),
    (
        "not added up",
        "you weight the rows of A but do not add them up: x's gradient has the shape of x",
        lambda grad, a, x: (grad[:, None] * x, a.T * grad),
    ),
    (
        "x alone",
        "the matrix gets no gradient; a product has two inputs, and both need one",
        lambda grad, a, x: (None, a.T @ grad),
    ),
    (
        "A alone",
        "x gets no gradient; a product has two inputs, and both need one",
        lambda grad, a, x: (grad[:, None] * x, None),
    ),
    (
        "arrays alone",
        "`grad_output` may be a tensor, as in a second derivative, and numpy's own functions, such as `np.outer`, take "
        "only arrays: write `grad_output[:, None] * x`",
        lambda grad, a, x: (np.outer(grad, x), a.T @ grad),
    ),
):
    mistake.backward(SavesMatrixAndVector, name, explanation, shares)


part = Part(
    Place("mv", "engine", "Mv", "minigrad.upstream", node="MvBackward0"),
    points=2,
    minutes=8,
    difficulty=2,
    hints=(
        "For x the slices are the rows of A. Σᵢ vᵢ · (row i of A) is a product of A and v; which one?",
        "For A, slice i holds x in row i and zeros elsewhere. So row i of the sum is vᵢ · x.",
        "`v[:, None] * x` has vᵢ · xⱼ at entry (i, j). And Σᵢ vᵢ Aᵢⱼ is `a.T @ v`.",
    ),
    mistakes=tuple(mistake),
    probe="""
for a, x, upstream in (
    ([[1.0, 2.0], [3.0, 5.0], [7.0, 11.0]], [2.0, 3.0], [1.0, 10.0, 100.0]),
    ([[1.0, 2.0], [3.0, 5.0]], [2.0, 3.0], [1.0, 10.0]),
    ([[1.0, 2.0], [3.0, 5.0]], [2.0, 3.0], [1.0, 1.0]),
    ([[1.0, 2.0, 4.0]], [2.0, 3.0, 5.0], [10.0]),
):
    shares(torch.upstream.Mv, a, x, upstream=upstream)
""",
)
