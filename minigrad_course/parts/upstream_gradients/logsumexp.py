"""The part `logsumexp`: its hints, and the mistakes people make in it."""

from __future__ import annotations

import numpy as np

from minigrad.scalar import Function
from minigrad.tensor import Value
from minigrad_course.parts import Mistakes, Part
from minigrad_course.programs.program import Place

mistake = Mistakes("logsumexp")


class Remembers(Function):
    """What the wrong versions of logsumexp keep for `backward`, each some of it."""

    dim: int
    powers: np.ndarray
    total: np.ndarray
    softmax: np.ndarray


class SavesSoftmax(Remembers):
    """Shared by the wrong versions of logsumexp : the forward."""

    @staticmethod
    def forward(ctx: Remembers, a: np.ndarray, dim: int) -> np.ndarray:
        top = a.max(axis=dim, keepdims=True)
        powers = np.exp(a - top)
        total = powers.sum(axis=dim, keepdims=True)
        ctx.dim, ctx.powers, ctx.total = dim, powers, total
        return (top + np.log(total)).squeeze(dim)

    @staticmethod
    def known(ctx: Remembers) -> tuple[int, np.ndarray, np.ndarray]:
        return ctx.dim, ctx.powers, ctx.total


@mistake(
    "overflow",
    "e to the power of a large entry overflows: subtract the largest entry first, and add it back at the end",
)
class LogsumexpOverflows(Remembers):
    @staticmethod
    def forward(ctx: Remembers, a: np.ndarray, dim: int) -> np.ndarray:
        powers = np.exp(a)
        total = powers.sum(axis=dim, keepdims=True)
        ctx.dim, ctx.softmax = dim, powers / total
        return np.log(total).squeeze(dim)

    @staticmethod
    def backward(ctx: Remembers, grad_output: Value) -> Value:
        return np.expand_dims(grad_output, ctx.dim) * ctx.softmax


@mistake(
    "axis kept",
    "the result still has the axis `dim`, with size 1: `keepdims` is right in between, but remove the axis at the end",
)
class LogsumexpAxisKept(Remembers):
    @staticmethod
    def forward(ctx: Remembers, a: np.ndarray, dim: int) -> np.ndarray:
        top = a.max(axis=dim, keepdims=True)
        powers = np.exp(a - top)
        total = powers.sum(axis=dim, keepdims=True)
        ctx.softmax = powers / total
        return top + np.log(total)

    @staticmethod
    def backward(ctx: Remembers, grad_output: Value) -> Value:
        return grad_output * ctx.softmax


@mistake(
    "one largest for all",
    "you subtract the largest of all entries, and next to it a row of small numbers vanishes: its powers are all 0, "
    "and the logarithm of 0 is -inf; use the largest along `dim`",
)
class LogsumexpOneLargest(Remembers):
    @staticmethod
    def forward(ctx: Remembers, a: np.ndarray, dim: int) -> np.ndarray:
        powers = np.exp(a - a.max())
        total = powers.sum(axis=dim, keepdims=True)
        ctx.dim, ctx.softmax = dim, powers / total
        return (a.max() + np.log(total)).squeeze(dim)

    @staticmethod
    def backward(ctx: Remembers, grad_output: Value) -> Value:
        return np.expand_dims(grad_output, ctx.dim) * ctx.softmax


@mistake("largest not put back", "you subtract the largest entry but do not add it back")
class LogsumexpLargestNotPutBack(SavesSoftmax):
    @staticmethod
    def forward(ctx: Remembers, a: np.ndarray, dim: int) -> np.ndarray:
        return SavesSoftmax.forward(ctx, a, dim) - a.max(axis=dim)

    @staticmethod
    def backward(ctx: Remembers, grad_output: Value) -> Value:
        return np.expand_dims(grad_output, ctx.dim) * ctx.powers / ctx.total


@mistake("divided by all", "the powers are divided by the sum over all entries, not over those along `dim`")
class LogsumexpDividedByAll(SavesSoftmax):
    @staticmethod
    def forward(ctx: Remembers, a: np.ndarray, dim: int) -> np.ndarray:
        ctx.softmax = np.exp(a - a.max()) / np.exp(a - a.max()).sum()
        return SavesSoftmax.forward(ctx, a, dim)

    @staticmethod
    def backward(ctx: Remembers, grad_output: Value) -> Value:
        return np.expand_dims(grad_output, ctx.dim) * ctx.softmax


for name, explanation, shares in (
    (
        "no upstream",
        "you return the softmax alone and forget the upstream gradient",
        lambda grad, dim, powers, total: powers / total,
    ),
    (
        "not divided",
        "the powers are not divided by their sum: the derivative of the logarithm is missing",
        lambda grad, dim, powers, total: np.expand_dims(grad, dim) * powers,
    ),
    (
        "axis missing",
        "the upstream gradient lacks the axis `dim` that was summed over, so it does not line up with its own entries",
        lambda grad, dim, powers, total: grad * powers / total,
    ),
    (
        "always the last axis",
        "the upstream gradient gets its axis back at the end, whatever `dim` is: `np.expand_dims` takes `ctx.dim`",
        lambda grad, dim, powers, total: grad[..., None] * powers / total,
    ),
    (
        "only the largest",
        "only the largest entry gets a gradient; that is what a max does",
        lambda grad, dim, powers, total: np.expand_dims(grad, dim) * (powers == 1),
    ),
    (
        "softmax's derivative",
        "s(1 - s) is the derivative of the softmax; that of logsumexp is the softmax itself",
        lambda grad, dim, powers, total: np.expand_dims(grad, dim) * powers / total * (1 - powers / total),
    ),
    (
        "divided along axis 0",
        "the powers are divided by their sum along axis 0, whatever `dim` is",
        lambda grad, dim, powers, total: np.expand_dims(grad, dim) * powers / powers.sum(axis=0, keepdims=True),
    ),
):
    mistake.backward(SavesSoftmax, name, explanation, shares)


@mistake(
    "axis lost",
    "the largest entries or the sums have lost the axis `dim`, and no longer line up with `a`: keep it, with "
    "`keepdims=True`",
)
class LogsumexpAxisLost(Remembers):
    @staticmethod
    def forward(ctx: Remembers, a: np.ndarray, dim: int) -> np.ndarray:
        top = a.max(dim)
        powers = np.exp(a - top)
        total = powers.sum(dim)
        ctx.dim, ctx.softmax = dim, powers / total
        return top + np.log(total)

    @staticmethod
    def backward(ctx: Remembers, grad_output: Value) -> Value:
        return np.expand_dims(grad_output, ctx.dim) * ctx.softmax


@mistake("no logarithm", "the logarithm of the sum is forgotten")
class LogsumexpWithoutLog(SavesSoftmax):
    @staticmethod
    def forward(ctx: Remembers, a: np.ndarray, dim: int) -> np.ndarray:
        SavesSoftmax.forward(ctx, a, dim)
        return (a.max(axis=dim, keepdims=True) + ctx.total).squeeze(dim)

    @staticmethod
    def backward(ctx: Remembers, grad_output: Value) -> Value:
        return np.expand_dims(grad_output, ctx.dim) * ctx.powers / ctx.total


@mistake("summed over all", "you sum over all entries instead of along `dim`, so one number comes out")
class LogsumexpOfAll(Remembers):
    @staticmethod
    def forward(ctx: Remembers, a: np.ndarray, dim: int) -> np.ndarray:
        powers = np.exp(a - a.max())
        ctx.softmax = powers / powers.sum()
        return a.max() + np.log(powers.sum())

    @staticmethod
    def backward(ctx: Remembers, grad_output: Value) -> Value:
        return grad_output * ctx.softmax


part = Part(
    Place("logsumexp", "operation", "logsumexp", node="LogsumexpBackward0"),
    points=3,
    minutes=20,
    difficulty=3,
    hints=(
        "Forward: with m the largest entry along the axis, log Σ exp(aᵢ) = m + log Σ exp(aᵢ - m). Now no "
        "power is larger than 1. `a.max(axis=dim, keepdims=True)` keeps the axis, so that you can subtract.",
        "The result has no axis `dim`: remove it at the end with `.squeeze(dim)`, or sum without `keepdims`.",
        "Backward: the derivative of log Σ exp(aᵢ) with respect to aᵢ is exp(aᵢ) / Σ exp(aⱼ), the softmax. Compute it "
        "in forward from the small powers, and keep it: `ctx.softmax = …`.",
        "`grad_output` lacks the axis `dim`, but the softmax has it: `np.expand_dims(grad_output, ctx.dim)` "
        "puts it back, with size 1.",
    ),
    mistakes=tuple(mistake),
    probe="""
small, tall = [[0.0, 1.0, 2.0], [2.0, 2.0, -1.0]], [[1.0, 0.0], [0.5, 3.0], [-2.0, 1.0]]
for value, dim, upstream in (
    (small, 0, [1.0, 1.0, 1.0]),
    (small, 1, [1.0, 1.0]),
    (small, 0, [2.0, -3.0, 5.0]),
    (small, 1, [2.0, -3.0]),
    (tall, 1, [2.0, -3.0, 5.0]),
    ([[1.0, 2.0], [3.0, 5.0]], 1, [2.0, -3.0]),
    ([[1.0, 2.0], [3.0, 5.0]], 0, [2.0, -3.0]),
    ([2000.0, 1999.0], 0, 1.0),
    ([[0.0, 0.0], [2000.0, 2000.0]], 1, [1.0, 1.0]),
):
    slopes(lambda a: torch.logsumexp(a, dim=dim), value, upstream=upstream)
""",
)
