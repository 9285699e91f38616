"""The part `matmul`: its hints, and the mistakes people make in it."""

from __future__ import annotations

import numpy as np

from minigrad.scalar import Function
from minigrad_course.parts import Mistakes, Part
from minigrad_course.programs.program import Place

mistake = Mistakes("matmul")


class Products(Function):
    """Shared by the wrong versions of the matrix product : the forward."""

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        ctx.save_for_backward(a, b)
        return a @ b


for name, explanation, shares in (
    (
        "no upstream",
        "you use ones instead of the upstream gradient, so all entries of the result have equal weight",
        lambda grad, a, b: (np.ones_like(grad) @ b.T, a.T @ np.ones_like(grad)),
    ),
    (
        "transposed",
        "the gradients come out transposed: each must have the shape of its input",
        lambda grad, a, b: (b @ grad.T, grad.T @ a),
    ),
    (
        "changed places",
        "the two gradients are swapped: A's comes first, in the shape of A",
        lambda grad, a, b: (a.T @ grad, grad @ b.T),
    ),
    (
        "not transposed",
        "you do not transpose the other matrix, so the sizes do not fit",
        lambda grad, a, b: (grad @ b, a @ grad),
    ),
    (
        "B not transposed",
        "you do not transpose the factor B, so the sizes do not fit",
        lambda grad, a, b: (grad @ b, a.T @ grad),
    ),
    (
        "A not transposed",
        "you do not transpose the factor A, so the sizes do not fit",
        lambda grad, a, b: (grad @ b.T, a @ grad),
    ),
    (
        "G transposed",
        "you transpose the upstream gradient instead of the other matrix",
        lambda grad, a, b: (grad.T @ b, a @ grad.T),
    ),
    (
        "own matrix",
        "you compute each gradient from its own matrix: an entry of A is multiplied by entries of B",
        lambda grad, a, b: (grad @ a.T, b.T @ grad),
    ),
    (
        "entry by entry",
        "you multiply entry by entry, with `*`; the sum over the entries of C is a matrix product",
        lambda grad, a, b: (grad * b, grad * a),
    ),
    (
        "entry by entry, transposed",
        "you multiply entry by entry, with `*`; the sum over the entries of C is a matrix product",
        lambda grad, a, b: (grad * b.T, a.T * grad),
    ),
    (
        "wrong side",
        "the factors are in the wrong order: matrices cannot be swapped in a product",
        lambda grad, a, b: (b.T @ grad, grad @ a.T),
    ),
    (
        "other matrix alone",
        "you return the other matrix, transposed, and forget the upstream gradient",
        lambda grad, a, b: (b.T, a.T),
    ),
    (
        "one sided",
        "only the first matrix gets a gradient; a product has two inputs, and both need one",
        lambda grad, a, b: (grad @ b.T, None),
    ),
):
    mistake.backward(Products, name, explanation, shares)


part = Part(
    Place("matmul", "engine", "Mm", "minigrad.upstream", node="MmBackward0"),
    points=2,
    minutes=10,
    difficulty=2,
    hints=(
        "In which entries of C is a_il a factor? In c_i0, c_i1, …, the row i of C, each time with the derivative b_lj. "
        "So dL/da_il is the sum over j of g_ij b_lj. Do the same for b_lj.",
        "The sum over j of g_ij b_lj is entry (i, l) of a matrix product: row i of G with row l of B. Which of the two "
        "has to be transposed? The shapes n×k and k×m say whether you are right.",
        "dL/dA = G Bᵀ and dL/dB = Aᵀ G. The transpose of an array is `b.T`.",
    ),
    mistakes=tuple(mistake),
    probe="""
for a, b, upstream in (
    ([[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 9.0]], [[1.0, 10.0], [100.0, 1000.0]]),
    ([[1.0, 2.0, 3.0]], [[4.0], [5.0], [7.0]], [[10.0]]),
    ([[1.0, 2.0, 3.0], [3.0, 5.0, 7.0]], [[4.0, 1.0], [5.0, 2.0], [7.0, 3.0]], [[1.0, 1.0], [1.0, 1.0]]),
    ([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [[5.0, 6.0, 1.0, 2.0], [7.0, 9.0, 3.0, 4.0]], [[1.0, 2, 3, 4]] * 3),
):
    shares(torch.upstream.Mm, a, b, upstream=upstream)
""",
)
