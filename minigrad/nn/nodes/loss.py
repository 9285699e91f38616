"""Losses with a node of their own.

Each takes `reduction`: "mean" and "sum" give one number, "none" a loss for each entry or row.

Mirrors https://docs.pytorch.org/docs/stable/nn.functional.html#loss-functions
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.compat import summing
from minigrad.nn.nodes.activation import sigmoid
from minigrad.ops import softmax
from minigrad.ops.elementary import Portion
from minigrad.runtime import array_ops, state
from minigrad.scalar import Function
from minigrad.tensor import Tensor


def reduced(losses: Any, reduction: str) -> Any:
    """The losses of all entries as the reduction wants them."""
    if reduction == "none":
        return losses
    return summing.total(losses) if reduction == "sum" else summing.total(losses) / losses.size


def shared(grad_output: Any, like: Any, reduction: str) -> Any:
    """The upstream gradient that one entry of `like` gets from the reduction."""
    return grad_output / array_ops.raw(like).size if reduction == "mean" else grad_output


def both_ways(ctx: Any, grad_output: Any, slope: Callable) -> tuple:
    """The gradients of a loss of a - b with this slope: b's is that of b - a, so that a zero has torch's sign."""
    a, b = ctx.saved_tensors
    share, (needs_a, needs_b) = shared(grad_output, a, ctx.reduction), ctx.needs_input_grad
    return slope(a - b) * share if needs_a else None, slope(b - a) * share if needs_b else None


class MseLoss(Function):
    """(a - b)², reduced: the derivative is 2 · (a - b), and of b the negative."""

    __slots__ = ("reduction",)
    saves = ("self", "target")

    @staticmethod
    def forward(ctx: Any, a: Any, b: Any, reduction: str) -> Any:
        ctx.save_for_backward(a, b)
        ctx.reduction = reduction
        difference = a - b
        return reduced(difference * difference, reduction)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, b = ctx.saved_tensors
        needs_a, needs_b = ctx.needs_input_grad
        return (
            array_ops.call(MseLossShare, grad_output, a, b, reduction=ctx.reduction) if needs_a else None,
            array_ops.call(MseLossShare, grad_output, b, a, reduction=ctx.reduction) if needs_b else None,
        )


class MseLossShare(Function, name="MseLossBackwardBackward0"):
    """2 · (a - b) · g, over the number of entries for the mean: what the loss does to its upstream gradient g."""

    __slots__ = ("reduction",)
    saves = ("grad_output", "self", "target")

    @staticmethod
    def forward(ctx: Any, g: Any, a: Any, b: Any, reduction: str) -> Any:
        ctx.save_for_backward(g, a, b)
        ctx.reduction = reduction
        return (a - b) * (shared(g, a, reduction) * 2)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        g, a, b = ctx.saved_tensors
        of_a, of_g = grad_output * g * 2, (a - b) * 2 * grad_output
        if ctx.reduction == "mean":
            of_a, of_g = (array_ops.call(Portion, each, parts=array_ops.raw(a).size) for each in (of_a, of_g))
        return of_g, of_a, -of_a


class SmoothL1Loss(Function):
    """d = |a - b|; d² / 2β where d < β, else d - β/2: the derivative is (a - b) / β, else the sign."""

    __slots__ = ("reduction", "beta")
    saves = ("self", "target")

    @staticmethod
    def forward(ctx: Any, a: Any, b: Any, reduction: str, beta: float) -> Any:
        ctx.save_for_backward(a, b)
        ctx.reduction, ctx.beta = reduction, beta
        distance = abs(a - b)
        return reduced(np.where(distance < beta, 0.5 * distance * distance / beta, distance - 0.5 * beta), reduction)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        def slope(difference: Any) -> Any:
            sign = array_ops.like(np.sign(array_ops.raw(difference)), difference)
            return array_ops.where(abs(array_ops.raw(difference)) < ctx.beta, difference / ctx.beta, sign)

        return both_ways(ctx, grad_output, slope)


class HuberLoss(Function):
    """d = |a - b|; d² / 2 where d ≤ δ, else δ · (d - δ/2): the derivative is a - b, kept within ±δ."""

    __slots__ = ("reduction", "delta")
    saves = ("self", "target")

    @staticmethod
    def forward(ctx: Any, a: Any, b: Any, reduction: str, delta: float) -> Any:
        ctx.save_for_backward(a, b)
        ctx.reduction, ctx.delta = reduction, delta
        distance = abs(a - b)
        return reduced(
            np.where(distance <= delta, 0.5 * distance * distance, delta * (distance - 0.5 * delta)), reduction
        )

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        def slope(difference: Any) -> Any:
            limit = array_ops.like(np.sign(array_ops.raw(difference)) * ctx.delta, difference)
            return array_ops.where(abs(array_ops.raw(difference)) < ctx.delta, difference, limit)

        return both_ways(ctx, grad_output, slope)


class BinaryCrossEntropy(Function):
    """-(t · log p + (1 - t) · log(1 - p)), logarithms not below -100: d/dp = (p - t) / (p · (1 - p))."""

    __slots__ = ("reduction", "weight")
    saves = ("self", "target")

    @staticmethod
    def forward(ctx: Any, p: Any, t: Any, reduction: str, weight: Any) -> Any:
        ctx.save_for_backward(p, t)
        ctx.reduction, ctx.weight = reduction, weight
        losses = (t - 1) * np.maximum(np.log1p(-p), -100) - t * np.maximum(np.log(p), -100)
        return reduced(losses if weight is None else losses * weight, reduction)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        p, t = ctx.saved_tensors
        needs_p, needs_t = ctx.needs_input_grad
        grad = weighted(shared(grad_output, p, ctx.reduction), ctx.weight)
        product = (1 - p) * p
        spread = product.clamp(min=1e-12) if isinstance(product, Tensor) else np.maximum(product, 1e-12)
        return (
            grad * ((p - t) / spread) if needs_p else None,
            grad * (array_ops.log(1 - p) - array_ops.log(p)) if needs_t else None,
        )


class BinaryCrossEntropyWithLogits(Function):
    """The same for p = σ(x): (1 - t) · x - (1 + (w - 1) · t) · log σ(x), with w the `pos_weight`, else 1.

    d/dx = σ(x) - t, which needs no division: logits may be large. With w: (w·t + 1 - t) · σ(x) - w·t.
    """

    __slots__ = ("reduction", "weight", "pos_weight")
    saves = ("self", "target", "weight", "pos_weight")

    @staticmethod
    def forward(ctx: Any, x: Any, t: Any, reduction: str, weight: Any, pos_weight: Any) -> Any:
        ctx.save_for_backward(x, t)
        ctx.reduction, ctx.weight, ctx.pos_weight = reduction, weight, pos_weight
        log = log_sigmoid(x)
        losses = (1 - t) * x - (log if pos_weight is None else ((pos_weight - 1) * t + 1) * log)
        return reduced(losses if weight is None else losses * weight, reduction)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        x, t, *_ = ctx.saved_tensors
        needs_x, needs_t = ctx.needs_input_grad
        grad = weighted(shared(grad_output, x, ctx.reduction), ctx.weight)
        positive = weighted(t, ctx.pos_weight)
        slope_x = slope_t = None
        if needs_x:
            slope_x = sigmoid(x) - t if ctx.pos_weight is None else (positive + (1 - t)) * sigmoid(x) - positive
        if needs_t:
            slope_t = -x if ctx.pos_weight is None else log_sigmoid(-x) - weighted(log_sigmoid(x), ctx.pos_weight)
        return None if slope_x is None else grad * slope_x, None if slope_t is None else grad * slope_t


def log_sigmoid(x: Any) -> Any:
    """log σ(x) = min(x, 0) - log(1 + e^-|x|), of an array or a Tensor."""
    if isinstance(x, Tensor):
        return (x - abs(x)) / 2 - (-abs(x)).exp().log1p()
    return np.minimum(x, 0) - np.log1p(np.exp(-abs(x)))


def weighted(value: Any, weight: Any) -> Any:
    """value times a constant array; the value itself where there is none."""
    return value if weight is None else value * array_ops.like(weight, value)


class NllLoss(Function):
    """-a[row, target[row]] for each row, times the weight of the target's class; the mean divides by these weights.

    Only what stands at the target has a derivative: minus its weight. Rows whose target is `ignore_index` have none.
    `choice` is the target (an array of int64 that nobody else changes), the weights of the classes or None,
    `ignore_index` and the reduction.
    """

    __slots__ = ("reduction", "places", "share", "misfit", "alone")
    saves = ("self", "target", "weight")

    @staticmethod
    def forward(ctx: Any, a: Any, choice: tuple[Any, Any, int, str]) -> Any:
        target, weight, ignore_index, reduction = choice
        ctx.save_for_backward(a)
        ctx.misfit, ctx.alone = "", False
        if a.ndim == 1 and target.ndim == 1:
            ctx.misfit = f"size mismatch (got input: {list(a.shape)}, target: {list(target.shape)})"
            target = target.reshape(())
        kept = _kept(target, a.shape[min(a.ndim - 1, 1)], ignore_index)
        if kept is not None:
            target = np.where(kept, target, 0)
        ctx.reduction, ctx.places = reduction, _places(target, a.shape)
        losses = a.take(ctx.places)
        if kept is None and weight is None:
            if reduction == "none":
                ctx.share = 1.0
                return -losses
            count = target.size if reduction == "mean" else 1
            ctx.share = 1 / max(count, 1)
            return (0 - summing.of_losses(losses)) / count  # 0 less the sum: torch's sum of nothing is 0, not -0
        share = np.ones(target.shape, a.dtype) if weight is None else weight[target]
        losses = -losses * share
        if kept is not None:
            share, losses = np.where(kept, share, 0), np.where(kept, losses, 0)
        total = summing.of_losses(share) if reduction == "mean" else 1
        ctx.share = share / total if kept is None else np.where(kept, share / total, 0)
        return losses if reduction == "none" else (0 + summing.of_losses(losses)) / total

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, *_ = ctx.saved_tensors
        if ctx.misfit:
            raise RuntimeError(ctx.misfit)  # as in torch: a vector with one target in a list has no backward
        if isinstance(grad_output, Tensor):
            return NllLossOfGradient.apply(grad_output, a, places=ctx.places, share=ctx.share)
        picked = _picked(ctx.places, grad_output, a, ctx.share)
        unseen = ctx.alone and state.ordinary and ctx._hooks is ctx.edges[0]._hooks is None
        return picked if unseen and type(ctx.share) is float and grad_output else picked.whole()


class NllLossOfGradient(Function, name="NllLossBackwardBackward0"):
    """What `NllLoss` does to a gradient: zeros, but for -share · g at the places of the targets. In a it is flat."""

    __slots__ = ("places", "share")

    @staticmethod
    def forward(ctx: Any, grad: Any, a: Any, places: tuple, share: Any) -> Any:
        ctx.places, ctx.share = places, share
        return _picked(places, grad, a, share).whole()

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        pattern = np.zeros(grad_output.shape, ctx.dtype)
        pattern.put(ctx.places, 0 - ctx.share)
        share = (grad_output * array_ops.like(pattern, grad_output)).sum(axis=min(pattern.ndim - 1, 1))
        return share, array_ops.zeros(ctx.shape, ctx.dtype, grad_output)


class NllLoss2D(NllLoss):
    """The same for classes along the second of more than two axes: one target for each remaining place."""

    __slots__ = ()


def _picked(places: Any, grad: Any, a: Any, share: Any) -> softmax.Picked:
    """-share · grad at the places, for an array of a's shape."""
    return softmax.Picked(places, -(share * grad) if type(share) is float else 0 - share * grad, a.shape, grad.dtype)


def _kept(target: Any, classes: int, ignore_index: int) -> Any:
    """Where the target is not `ignore_index`; None for everywhere. IndexError for any other target outside."""
    unsigned = target.view(np.uint64)  # negative numbers are the highest here
    highest = unsigned.item(unsigned.argmax()) if target.size else 0
    if highest < classes and not 0 <= ignore_index < classes:
        return None
    kept = target != ignore_index
    outside = kept & ((target < 0) | (target >= classes))
    if outside.any():
        raise IndexError(f"Target {target[outside].flat[0]} is out of bounds.")
    return kept


def _places(target: Any, shape: tuple[int, ...]) -> Any:
    """Where each target's entry is in an array of the shape, counted row by row: quicker for numpy than an index."""
    return row_starts(shape) + (target if len(shape) < 3 else target * math.prod(shape[2:]))


@functools.lru_cache(maxsize=8)
def row_starts(shape: tuple[int, ...]) -> Any:
    """Where the entries of class 0 are, classes along the second axis (the only one of a vector); to be read only."""
    if len(shape) == 1:
        return 0
    inner = math.prod(shape[2:])
    starts = np.arange(shape[0])[:, None] * (shape[1] * inner) + np.arange(inner)
    return starts.reshape(shape[:1] + shape[2:])
