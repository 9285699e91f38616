"""The part `mv`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.course.parts import Mistakes, Part
from minigrad.course.program import Place
from minigrad.scalar import Function

mistake = Mistakes("mv")


class SavesMatrixAndVector(Function):
    """What the wrong versions of A @ x share: the forward."""

    @staticmethod
    def forward(ctx: Any, a: Any, x: Any) -> Any:
        ctx.save_for_backward(a, x)
        return a @ x


@mistake("no upstream", "the slices are added up without their weights, as if the upstream gradient were ones")
class MvWithoutUpstream(SavesMatrixAndVector):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, x = ctx.saved_tensors
        return np.ones_like(a) * x, a.sum(0)


@mistake("not transposed", "the matrix is not transposed: vᵀA, written as a column, is Aᵀv")
class MvNotTransposed(SavesMatrixAndVector):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, x = ctx.saved_tensors
        return grad_output[:, None] * x, a @ grad_output


@mistake(
    "not every pair",
    "v and x are multiplied as they are; the gradient of A wants vᵢxⱼ for every pair, so give v a second axis",
)
class MvNotEveryPair(SavesMatrixAndVector):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, x = ctx.saved_tensors
        return grad_output * x, a.T @ grad_output


@mistake(
    "no outer product",
    "v and x are multiplied with `@`, which adds up; the gradient of A wants vᵢxⱼ for every pair, so give v a second "
    "axis and use `*`",
)
class MvNoOuterProduct(SavesMatrixAndVector):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, x = ctx.saved_tensors
        return grad_output @ x.T, a.T @ grad_output


@mistake("upstream for A only", "the upstream gradient is used for A's gradient only: x's sums up vᵢ · row i of A")
class MvUpstreamForMatrix(SavesMatrixAndVector):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, x = ctx.saved_tensors
        return grad_output[:, None] * x, a.sum(0)


@mistake("swapped", "the two gradients are swapped: that of A comes first, because A is the first input")
class MvSwapped(SavesMatrixAndVector):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, x = ctx.saved_tensors
        return a.T @ grad_output, grad_output[:, None] * x


@mistake("upstream once", "the upstream gradient is used for x.grad only: row i of A's gradient is vᵢ · x")
class MvUpstreamOnce(SavesMatrixAndVector):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, x = ctx.saved_tensors
        return np.ones_like(a) * x, a.T @ grad_output


@mistake("other layout", "the gradient of A is transposed: entry (i, j) is vᵢxⱼ, in the shape of A")
class MvOtherLayout(SavesMatrixAndVector):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, x = ctx.saved_tensors
        return x[:, None] * grad_output, a.T @ grad_output


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
)
