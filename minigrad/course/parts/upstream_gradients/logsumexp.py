"""The part `logsumexp`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.course.parts import Mistakes, Part
from minigrad.course.program import Place
from minigrad.scalar import Function

mistake = Mistakes("logsumexp")


class SavesSoftmax(Function):
    """What the wrong versions of logsumexp share: the forward."""

    @staticmethod
    def forward(ctx: Any, a: Any, dim: int) -> Any:
        top = a.max(axis=dim, keepdims=True)
        powers = np.exp(a - top)
        total = powers.sum(axis=dim, keepdims=True)
        ctx.dim, ctx.powers, ctx.total = dim, powers, total
        return (top + np.log(total)).squeeze(dim)


@mistake(
    "overflow",
    "e to the power of a large entry overflows: take the largest entry out before, and add it after",
)
class LogsumexpOverflows(Function):
    @staticmethod
    def forward(ctx: Any, a: Any, dim: int) -> Any:
        powers = np.exp(a)
        total = powers.sum(axis=dim, keepdims=True)
        ctx.dim, ctx.softmax = dim, powers / total
        return np.log(total).squeeze(dim)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return np.expand_dims(grad_output, ctx.dim) * ctx.softmax


@mistake(
    "axis kept",
    "the result still has the axis `dim`, with size 1: `keepdims` is right on the way, but the end takes it away",
)
class LogsumexpAxisKept(Function):
    @staticmethod
    def forward(ctx: Any, a: Any, dim: int) -> Any:
        top = a.max(axis=dim, keepdims=True)
        powers = np.exp(a - top)
        total = powers.sum(axis=dim, keepdims=True)
        ctx.softmax = powers / total
        return top + np.log(total)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return grad_output * ctx.softmax


@mistake(
    "one largest for all",
    "the largest of all entries is taken out, and beside it a row of small numbers vanishes: its powers are all 0, and "
    "the logarithm of 0 is -inf; take the largest along `dim`",
)
class LogsumexpOneLargest(Function):
    @staticmethod
    def forward(ctx: Any, a: Any, dim: int) -> Any:
        powers = np.exp(a - a.max())
        total = powers.sum(axis=dim, keepdims=True)
        ctx.dim, ctx.softmax = dim, powers / total
        return (a.max() + np.log(total)).squeeze(dim)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return np.expand_dims(grad_output, ctx.dim) * ctx.softmax


@mistake("largest not put back", "the largest entry is taken out before, and not added again after")
class LogsumexpLargestNotPutBack(SavesSoftmax):
    @staticmethod
    def forward(ctx: Any, a: Any, dim: int) -> Any:
        return SavesSoftmax.forward(ctx, a, dim) - a.max(axis=dim)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return np.expand_dims(grad_output, ctx.dim) * ctx.powers / ctx.total


@mistake("divided by all", "the powers are divided by the sum over all entries, not over those along `dim`")
class LogsumexpDividedByAll(SavesSoftmax):
    @staticmethod
    def forward(ctx: Any, a: Any, dim: int) -> Any:
        ctx.softmax = np.exp(a - a.max()) / np.exp(a - a.max()).sum()
        return SavesSoftmax.forward(ctx, a, dim)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return np.expand_dims(grad_output, ctx.dim) * ctx.softmax


@mistake("no upstream", "the softmax is returned alone, and the upstream gradient is forgotten")
class LogsumexpWithoutUpstream(SavesSoftmax):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return ctx.powers / ctx.total


@mistake("not divided", "the powers are not divided by their sum: the derivative of the logarithm is missing")
class LogsumexpNotDivided(SavesSoftmax):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return np.expand_dims(grad_output, ctx.dim) * ctx.powers


@mistake(
    "axis missing",
    "the upstream gradient lacks the axis that was summed over, and so does not stand beside its own entries",
)
class LogsumexpAxisMissing(SavesSoftmax):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return grad_output * ctx.powers / ctx.total


@mistake("only the largest", "only the largest entry gets a gradient; that is what a max does")
class LogsumexpAsMax(SavesSoftmax):
    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return np.expand_dims(grad_output, ctx.dim) * (ctx.powers == 1)


part = Part(
    Place("logsumexp", "operation", "logsumexp", node="LogsumexpBackward0"),
    points=3,
    minutes=20,
    difficulty=3,
    hints=(
        "Forward: with m the largest entry along the axis, log Σ exp(aᵢ) = m + log Σ exp(aᵢ - m). Now no "
        "power is larger than 1. `a.max(axis=dim, keepdims=True)` keeps the axis, so that you can subtract.",
        "The result has no axis `dim`: take it away at the end with `.squeeze(dim)`, or sum without `keepdims`.",
        "Backward: the derivative of log Σ exp(aᵢ) to aᵢ is exp(aᵢ) / Σ exp(aⱼ), the softmax. Compute it on "
        "the way forward from the small powers, and keep it: `ctx.softmax = …`.",
        "`grad_output` lacks the axis `dim`, and the softmax has it: `np.expand_dims(grad_output, ctx.dim)` "
        "puts it back, with size 1.",
    ),
    mistakes=tuple(mistake),
    twins=("minigrad.ops.softmax:logsumexp", "minigrad.ops.softmax:Logsumexp.forward"),
)
