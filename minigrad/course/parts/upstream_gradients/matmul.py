"""The part `matmul`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.course.parts import Mistakes, Part
from minigrad.course.program import Place
from minigrad.scalar import Function

mistake = Mistakes("matmul")


class Products(Function):
    """What the wrong versions of the matrix product share: the forward."""

    @staticmethod
    def forward(ctx: Any, a: Any, b: Any) -> Any:
        ctx.save_for_backward(a, b)
        return a @ b


@mistake(
    "no upstream",
    "ones stand in the place of the upstream gradient, so all entries of the result weigh alike",
)
class ProductOfOnes(Products):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, b = ctx.saved_tensors
        ones = np.ones_like(grad_output)
        return ones @ b.T, a.T @ ones


@mistake(
    "transposed",
    "the gradients come out transposed, or in the wrong order; each has the shape of its input, and "
    "that of A comes first",
)
class ProductTransposed(Products):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, b = ctx.saved_tensors
        return b @ grad_output.T, grad_output.T @ a


@mistake(
    "not transposed",
    "the other matrix is not transposed; then the sizes do not fit, and in GBᵀ and AᵀG they do",
)
class ProductNotTransposed(Products):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, b = ctx.saved_tensors
        return grad_output @ b, a @ grad_output


@mistake("entry by entry", "the product is taken entry by entry, with `*`; GBᵀ and AᵀG are matrix products")
class ProductEntryByEntry(Products):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, b = ctx.saved_tensors
        return grad_output * b, grad_output * a


@mistake("wrong side", "the factors stand in the wrong order: G comes first in GBᵀ, and last in AᵀG")
class ProductWrongSide(Products):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, b = ctx.saved_tensors
        return b.T @ grad_output, grad_output @ a.T


@mistake("other matrix alone", "the other matrix is returned, transposed, and the upstream gradient is forgotten")
class ProductOtherAlone(Products):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, b = ctx.saved_tensors
        return b.T, a.T


@mistake("one sided", "only the first matrix gets a gradient; a product has two inputs, and both need one")
class ProductOneSided(Products):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        _a, b = ctx.saved_tensors
        return grad_output @ b.T, None


part = Part(
    Place("matmul", "engine", "Mm", "minigrad.upstream", node="MmBackward0"),
    points=2,
    minutes=10,
    difficulty=2,
    hints=(
        "The gradient of A has the shape n×k, and you have G (n×m) and B (k×m). Only one product of these, "
        "with one of them transposed, has that shape.",
        "The shapes tell you which: n×k comes from (n×m)(m×k), and k×m comes from (k×n)(n×m).",
        "dL/dA = G Bᵀ and dL/dB = Aᵀ G. The transpose of an array is `b.T`.",
    ),
    mistakes=tuple(mistake),
)
