"""Operations of networks that torch records as one node each: activations, layers, losses.
Mirrors https://docs.pytorch.org/docs/stable/nn.functional.html
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.arithmetic import summing
from minigrad.arithmetic.blocks import BLOCK, MANY, chosen, in_blocks
from minigrad.arithmetic.special import erf, erf_of_many
from minigrad.graph import array_ops, nodes, state
from minigrad.graph.array_ops import in_float32, like, raw
from minigrad.ops import softmax
from minigrad.ops.operands import recorded_as, variant
from minigrad.scalar import Function
from minigrad.tensor import Shares, Tensor, Value

NODES = "Elu Gelu Softplus LogSigmoid LeakyRelu Hardtanh PreluKernel MseLoss SmoothL1Loss HuberLoss NllLoss"
OF_HARDSWISH = recorded_as("HardswishBackwardBackward0")
OF = {word: recorded_as(f"{word}BackwardBackward0") for word in NODES.split()}  # a share, as torch records it


# --- activations ---------------------------------------------------------------------------------
class Activation(Function):
    """f(a), entry by entry, with a setting: `derivative` gives the upstream gradient g times f'(a). a is saved."""

    value: Callable  # of a and the setting
    derivative: Callable  # of g, a and the setting

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, setting: object = None) -> Value:
        ctx.save_for_backward(a)
        ctx.setting = ctx.slope = ctx.alpha = ctx.approximate = setting  # torch's names for it
        value = array_ops.in_float32(lambda a: ctx.value(a, setting))
        return value(a) if a.size < MANY else in_blocks(value, a)

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        (a,) = ctx.saved_tensors
        if type(grad_output) is np.ndarray and grad_output.size >= MANY:
            return in_blocks(lambda g, a: ctx.derivative(g, a, ctx.setting), grad_output, a)
        return ctx.derivative(grad_output, a, ctx.setting)


class LeakyRelu(Activation):
    """a where a > 0, else slope · a: the derivative is 1 or the slope."""

    value = staticmethod(lambda a, slope: chosen(a > 0, a, a * slope))
    derivative = staticmethod(lambda g, a, slope: OF["LeakyRelu"](array_ops.where(raw(a) > 0, g, g * slope), a))


class Elu(Activation):
    """a where a > 0, else α · (eᵃ - 1): the derivative is 1 or α · eᵃ."""

    value = staticmethod(lambda a, alpha: chosen(a <= 0, np.expm1(a) * alpha, a))
    derivative = staticmethod(
        lambda g, a, alpha: OF["Elu"](array_ops.where(raw(a) <= 0, g * (array_ops.exp(a) * alpha), g))
    )


class Silu(Activation):
    """a · σ(a): the derivative is σ(a) · (1 + a · (1 - σ(a)))."""

    value = staticmethod(lambda a, _: a * sigmoid(a))

    @staticmethod
    def derivative(g: Value, a: Value, _: None) -> Value:
        s = sigmoid(a)
        return g * (s * (1 + a * (1 - s)))


class Gelu(Activation):
    """a · Φ(a): the derivative is Φ(a) + a · φ(a). "tanh" has (1 + tanh u) / 2 for Φ, u = √(2/π) · (a + 0.044715a³)."""

    value = staticmethod(lambda a, approximate: a * 0.5 * (1 + bend(a, approximate)))
    derivative = staticmethod(
        lambda g, a, approximate: OF["Gelu"](in_float32(lambda g, a: g * gelu_slope(a, approximate))(g, a))
    )
    bent: np.ndarray | None  # of many entries what backward needs again: half of the time

    @staticmethod
    def forward(ctx: Gelu, a: np.ndarray, setting: str) -> Value:  # type: ignore[override]
        ctx.bent = None
        if a.size < MANY or a.dtype == np.float16:
            return Activation.forward(ctx, a, setting)
        ctx.save_for_backward(a)
        ctx.setting = ctx.approximate = setting
        bent = in_blocks(lambda a: bend(a, setting), a)
        if any(getattr(ctx, "needs_input_grad", ())):
            ctx.bent = bent
        return in_blocks(lambda a, bent: a * 0.5 * (1 + bent), a, bent)

    @staticmethod
    def backward(ctx: Gelu, grad_output: Value) -> Shares:  # type: ignore[override]
        bent, ctx.bent = ctx.bent, None
        if bent is None or isinstance(grad_output, Tensor):
            return Activation.backward(ctx, grad_output)
        (a,) = ctx.saved_tensors
        return in_blocks(
            lambda g, a, b: g * (0.5 * (1 + b) + a * gelu_density(a, b, ctx.setting)), grad_output, a, bent
        )


class Softplus(Activation):
    """log(1 + e^βa) / β, and a itself where βa is beyond the threshold: the derivative is σ(βa), or 1."""

    value = staticmethod(lambda a, setting: softplus(a, *setting))
    derivative = staticmethod(
        lambda g, a, setting: OF["Softplus"](
            array_ops.where(raw(a) * setting[0] > setting[1], g, g * sigmoid(a * setting[0]))
        )
    )


class Mish(Activation):
    """a · t with t = tanh(log(1 + eᵃ)): the derivative is t + a · σ(a) · (1 - t²)."""

    value = staticmethod(lambda a, _: a * bent(a))

    @staticmethod
    def derivative(g: Value, a: Value, _: None) -> Value:
        t = bent(a)
        return g * (t + a * sigmoid(a) * (1 - t * t))


class Hardtanh(Activation):
    """a, kept within two limits: the derivative is 1 between them, and 0 on them."""

    value = staticmethod(lambda a, limits: np.clip(a, *limits).astype(a.dtype, copy=False))
    derivative = staticmethod(
        lambda g, a, limits: OF["Hardtanh"](array_ops.masked(g, (raw(a) <= limits[0]) | (raw(a) >= limits[1])), a)
    )


class Hardsigmoid(Activation):
    """a / 6 + 1/2, kept between 0 and 1: the derivative is 1/6 between them, and has none itself."""

    value = staticmethod(lambda a, _: np.minimum(np.maximum(a + 3, 0), 6) / 6)

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        (a,) = ctx.saved_tensors
        inside = (raw(a) > -3) & (raw(a) < 3)
        share = array_ops.masked(grad_output * (1 / 6), ~inside)
        return NotTwice.apply(share, a) if isinstance(share, Tensor) else share


class Hardswish(Activation):
    """a · hardsigmoid(a): the derivative is 0 below -3, 1 above 3, and a / 3 + 1/2 between."""

    value = staticmethod(lambda a, _: a * np.minimum(np.maximum(a + 3, 0), 6) / 6)

    @staticmethod
    def derivative(g: Value, a: Value, _: object) -> Value:
        """g times the derivative."""
        low, high = raw(a) <= -3, raw(a) >= 3
        high |= np.isnan(raw(a))
        share = array_ops.where(high, g, array_ops.masked(g * (a / 3 + 0.5), low))
        return OF_HARDSWISH(share)


class NotTwice(Function, name="NotImplemented"):
    """A share whose derivative, by the input as well, torch has not."""

    forward = staticmethod(lambda ctx, share, a: share.copy())

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        raise RuntimeError("derivative for aten::hardsigmoid_backward is not implemented")


class PreluKernel(Function):
    """a where a > 0, else w · a, for a w that is broadcast: d/da = 1 or w, d/dw = 0 or a."""

    saves = ("self", "weight")

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, w: np.ndarray) -> np.ndarray:
        ctx.save_for_backward(a, w)
        return chosen(a > 0, a, w * a)

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        a, w = ctx.saved_tensors
        shares = (
            array_ops.where(raw(a) > 0, grad_output, w * grad_output),
            array_ops.masked(a * grad_output, raw(a) > 0),
        )
        return tuple([OF["PreluKernel"](share, a) for share in shares])


class LogSigmoid(Activation):
    """log σ(a): the derivative is σ(-a)."""

    value = staticmethod(lambda a, _: log_sigmoid(a))
    derivative = staticmethod(lambda g, a, _: OF["LogSigmoid"](g * sigmoid(-a)))


LeakyReluInPlace = variant("LeakyReluInPlace", LeakyRelu, "LeakyReluBackward1")  # torch has a separate node as well
EluInPlace = variant("EluInPlace", Elu, "EluBackward1")

_sigmoid = array_ops.in_float32(lambda a: 1 / (1 + np.exp(-a)))
_log1p = array_ops.exactly(np.log1p)


def sigmoid(value: Value) -> Value:
    """1 / (1 + e⁻ᵃ), of an array or a Tensor."""
    return value.sigmoid() if isinstance(value, Tensor) else _sigmoid(value)


def bent(a: Value) -> Value:
    """tanh(log(1 + eᵃ)), of an array or a Tensor: 1 - 2 / (e²ˢ + 1) for s = log(1 + eᵃ)."""
    return 1 - 2 / (array_ops.exp(2 * array_ops.call(Softplus, a, setting=(1.0, 20.0))) + 1)


def softplus(a: np.ndarray, beta: float, threshold: float) -> np.ndarray:
    """log(1 + e^βa) / β, or a."""
    return chosen(a * beta > threshold, a, _log1p(array_ops.exp(a * beta)) / beta).astype(a.dtype)


def bend(a: Value, approximate: str) -> Value:
    """2 Φ(a) - 1: erf(a / √2), or its approximation by tanh."""
    if approximate == "tanh":
        inner = math.sqrt(2 / math.pi) * (a + 0.044715 * (a * a * a))
        return inner.tanh() if isinstance(inner, Tensor) else np.tanh(inner)
    scaled = a * math.sqrt(0.5)
    if isinstance(scaled, Tensor):
        return scaled.erf()
    return erf_of_many(scaled) if is_quick(scaled) else erf(scaled)


def gelu_slope(a: Value, approximate: str) -> Value:
    """Φ(a) + a · φ(a), where φ is the derivative of Φ, also of its approximation."""
    b = bend(a, approximate)
    return 0.5 * (1 + b) + a * gelu_density(a, b, approximate)


def gelu_density(a: Value, b: Value, approximate: str) -> Value:
    """φ(a), given b = 2 Φ(a) - 1."""
    if approximate == "tanh":
        return 0.5 * (1 - b * b) * (math.sqrt(2 / math.pi) * (1 + 3 * 0.044715 * (a * a)))
    power = -0.5 * (a * a)
    return (np.exp(power) if is_quick(power) else array_ops.exp(power)) * (1 / math.sqrt(2 * math.pi))


def is_quick(a: Value) -> bool:
    """Whether to compute in float32 alone: for many entries, where torch's own result is rounded more than that."""
    return not isinstance(a, Tensor) and a.dtype == np.float32 and a.size >= BLOCK // 2


# --- layers --------------------------------------------------------------------------------------
class Embedding(Function):
    """Rows of a table by number: a row gets the sum of its upstream gradients (`by_count`, their mean), and the row
    `padding` none.
    """

    saves = ("indices",)

    @staticmethod
    def forward(ctx: Function, table: np.ndarray, rows: np.ndarray, padding: int, by_count: bool = False) -> np.ndarray:
        ctx.rows, ctx.padding, ctx.size, ctx.by_count = rows, padding, table.shape, by_count
        return table[rows]

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        _ = ctx.saved_tensors  # an error if the numbers were changed since
        rows = ctx.rows.reshape(-1)
        flat = grad_output.reshape((rows.size, ctx.size[1]))
        if ctx.by_count:
            flat = flat / array_ops.like(np.bincount(rows, minlength=1)[rows].astype(ctx.dtype)[:, None], flat)
        if isinstance(flat, Tensor):
            taken = (np.arange(ctx.size[0])[:, None] == rows) & (rows != ctx.padding)
            return array_ops.like(taken.astype(ctx.dtype), flat) @ flat
        grad = np.zeros(ctx.size, ctx.dtype)
        if ctx.padding >= 0:
            kept = rows != ctx.padding
            rows, flat = rows[kept], flat[kept]
        summing.add_at(grad, rows, flat)
        return grad


# --- losses --------------------------------------------------------------------------------------
class OfTwo(Function):
    """A loss of a and b, entry by entry, times a constant `weight` and reduced. `extra` is β, δ or pos_weight."""

    saves: tuple[str, ...] = ("self", "target")
    losses: Callable  # of a, b and extra

    @staticmethod
    def forward(
        ctx: Function,
        a: np.ndarray,
        b: np.ndarray,
        reduction: str,
        extra: np.ndarray | None = None,
        weight: np.ndarray | None = None,
    ) -> Value:
        ctx.save_for_backward(a, b)
        ctx.reduction, ctx.weight = reduction, weight
        ctx.beta = ctx.delta = ctx.pos_weight = extra  # what torch calls it
        if a.size < MANY or isinstance(extra, np.ndarray):
            losses = weighted(ctx.losses(a, b, extra), weight)
        else:
            losses = weighted(in_blocks(lambda a, b: ctx.losses(a, b, extra), a, b), weight)
        if reduction == "none":
            return losses
        return summing.total(losses) if reduction == "sum" else summing.total(losses) / losses.size

    def of_entry(self, grad_output: Value, like: Value) -> Value:
        """The upstream gradient that one entry of `like` gets from the reduction."""
        return weighted(grad_output / raw(like).size if self.reduction == "mean" else grad_output, self.weight)


class OfDifference(OfTwo):
    """A loss of d = a - b; `share` is g times the derivative by d. b's is that of b - a: a zero has torch's sign."""

    derivative: Callable  # of g, d and extra

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        a, b = [_numbers(tensor, ctx.dtype) for tensor in ctx.saved_tensors]
        needs_a, needs_b = ctx.needs_input_grad
        g, record = ctx.of_entry(grad_output, a), OF[ctx.name().removesuffix("Backward0")]
        grad_b = record(ctx.of_difference(g, b, a)) if needs_b else None
        return record(ctx.of_difference(g, a, b)) if needs_a else None, grad_b

    def of_difference(self, g: Value, a: Value, b: Value) -> Value:
        """The share of a; of arrays block by block."""
        if array_ops.is_tensor(g, a, b) or a.size < MANY:
            return self.derivative(g, a - b, self.beta)
        return in_blocks(lambda a, b, g: self.derivative(g, a - b, self.beta), a, b, g)


def _numbers(value: Value, dtype: np.dtype) -> Value:
    """The value, with bools as numbers of a dtype: there is no difference of bools."""
    return like(raw(value).astype(dtype), value) if raw(value).dtype.kind == "b" else value


class MseLoss(OfDifference):
    """d²: the derivative is 2d."""

    losses = staticmethod(lambda a, b, _: (a - b) ** 2)
    derivative = staticmethod(lambda g, d, _: d * (g * 2))


class SmoothL1Loss(OfDifference):
    """d² / 2β where |d| < β, else |d| - β/2: the derivative is d / β, else the sign."""

    derivative = staticmethod(lambda g, d, beta: kept_within(d, beta) / beta * g)

    @staticmethod
    def losses(a: np.ndarray, b: np.ndarray, beta: float) -> np.ndarray:
        distance = abs(a - b)
        return chosen(distance < beta, 0.5 * distance * distance / beta, distance - 0.5 * beta)


class HuberLoss(OfDifference):
    """d² / 2 where |d| ≤ δ, else δ · (|d| - δ/2): the derivative is d, kept within ±δ."""

    derivative = staticmethod(lambda g, d, delta: kept_within(d, delta) * g)

    @staticmethod
    def losses(a: np.ndarray, b: np.ndarray, delta: float) -> np.ndarray:
        distance = abs(a - b)
        kept = np.minimum(distance, delta)
        return kept * (distance - 0.5 * kept)  # both forms in one, to the same last bit


def kept_within(value: Value, limit: float) -> Value:
    """The value, limited to ±limit."""
    number = raw(value)
    return array_ops.where(abs(number) < limit, value, array_ops.like(np.sign(number) * limit, value))


class BinaryCrossEntropy(OfTwo):
    """-(t · log p + (1 - t) · log(1 - p)), logarithms not below -100: d/dp = (p - t) / (p · (1 - p))."""

    losses = staticmethod(lambda p, t, _: (t - 1) * np.maximum(np.log1p(-p), -100) - t * np.maximum(np.log(p), -100))

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        p, t = ctx.saved_tensors
        needs_p, needs_t = ctx.needs_input_grad
        g, product = ctx.of_entry(grad_output, p), (1 - p) * p
        spread = product.clamp(min=1e-12) if isinstance(product, Tensor) else np.maximum(product, 1e-12)
        return (
            g * ((p - t) / spread) if needs_p else None,
            g * (array_ops.log(1 - p) - array_ops.log(p)) if needs_t else None,
        )


class BinaryCrossEntropyWithLogits(OfTwo):
    """The same for p = σ(x): (1 - t) · x - (1 + (w - 1) · t) · log σ(x), with w the `pos_weight`, else 1. d/dx = σ(x) -
    t, which needs no division: logits may be large. With w: (w·t + 1 - t) · σ(x) - w·t.
    """

    saves = ("self", "target", "weight", "pos_weight")

    @staticmethod
    def losses(x: np.ndarray, t: np.ndarray, pos_weight: np.ndarray | None) -> np.ndarray:
        log = log_sigmoid(x)
        return (1 - t) * x - (log if pos_weight is None else ((pos_weight - 1) * t + 1) * log)

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        x, t, *_ = ctx.saved_tensors
        needs_x, needs_t = ctx.needs_input_grad
        of_t = -x if ctx.pos_weight is None else log_sigmoid(-x) - weighted(log_sigmoid(x), ctx.pos_weight)
        if ctx.pos_weight is None:
            slope = sigmoid(x) - t
        else:
            positive = weighted(t, ctx.pos_weight)
            slope = (positive + (1 - t)) * sigmoid(x) - positive
        share = weighted(slope * grad_output, ctx.weight)  # divided last, as in torch
        if ctx.reduction == "mean":
            share = share._portion(raw(x).size) if isinstance(share, Tensor) else share / raw(x).size
        return share if needs_x else None, ctx.of_entry(grad_output, x) * of_t if needs_t else None


def log_sigmoid(x: Value) -> Value:
    """log σ(x) = min(x, 0) - log(1 + e^-|x|), of an array or a Tensor."""
    if isinstance(x, Tensor):
        return (x - abs(x)) / 2 - (-abs(x)).exp().log1p()
    return np.minimum(x, 0) - np.log1p(np.exp(-abs(x)))


def weighted(value: Any, weight: np.ndarray | None) -> Any:
    """value times a constant array; the value itself without one."""
    return value if weight is None else value * array_ops.like(weight, value)


class NllLoss(Function):
    """-a[row, target[row]] for each row, times the weight of the target's class; the mean divides by these weights.
    Only the entry at the target has a derivative: minus its weight; none where that is `ignore_index`. `choice` is the
    target (an array of int64 that nobody else changes), the classes' weights or None, `ignore_index`, the reduction.
    """

    saves = ("self", "target", "weight")
    places: Any  # here of the entries, in an array

    @staticmethod
    def forward(ctx: NllLoss, a: np.ndarray, choice: tuple[np.ndarray, np.ndarray | None, int, str]) -> np.ndarray:
        target, weight, ignore_index, reduction = choice
        ctx.save_for_backward(a)
        kept = _kept(target, a.shape[min(a.ndim - 1, 1)], ignore_index)
        if kept is not None:
            target = np.where(kept, target, 0)
        ctx.alone, ctx.places, ctx.share = False, _places(target, a.shape), 1.0
        losses: np.ndarray = -a.take(ctx.places)
        count: np.ndarray | int = target.size
        if kept is not None or weight is not None:
            ctx.share = np.ones(target.shape, a.dtype) if weight is None else weight[target]
            losses = losses * ctx.share
            if kept is not None:
                ctx.share, losses = np.where(kept, ctx.share, 0), np.where(kept, losses, 0)
            count = summing.of_losses(ctx.share)
        if reduction == "none":
            return losses
        total = 0 + summing.of_losses(losses)  # torch's sum of nothing is 0, not -0
        if reduction == "sum":
            return total
        ctx.share = 1 / max(count, 1) if type(ctx.share) is float else ctx.share / count
        if kept is not None:
            ctx.share = np.where(kept, ctx.share, 0)
        return total / count

    @staticmethod
    def backward(ctx: NllLoss, grad_output: Value) -> Shares | softmax.SparseGrad:
        a, *_ = ctx.saved_tensors
        if isinstance(grad_output, Tensor):
            share = np.broadcast_to(np.asarray(ctx.share, ctx.dtype), ctx.places.shape)
            values = 0 - grad_output * array_ops.like(share, grad_output)
            share = array_ops.put(values.reshape(-1), ctx.places.reshape(-1), 0, (raw(a).size,)).reshape(a.shape)
            return OF["NllLoss"](share, a)
        number = -(ctx.share * grad_output) if type(ctx.share) is float else 0 - ctx.share * grad_output
        picked = softmax.SparseGrad(ctx.places, number, a.shape, grad_output.dtype)
        unseen = ctx.alone and nodes.prepare and state.ordinary and ctx._hooks is ctx.edges[0]._hooks is None
        return picked if unseen and type(ctx.share) is float and grad_output else picked.whole()


# The same for classes along the second of more than two axes: one target for each remaining place.
NllLoss2D = variant("NllLoss2D", NllLoss)


def _kept(target: np.ndarray, classes: int, ignore_index: int) -> np.ndarray | None:
    """Where the target is not `ignore_index`; None for everywhere. IndexError for any other target out of range."""
    unsigned = target.view(np.uint64)  # negative numbers are the highest here
    highest = unsigned.item(unsigned.argmax()) if target.size else 0
    if highest < classes and not 0 <= ignore_index < classes:
        return None
    kept = target != ignore_index
    outside = kept & ((target < 0) | (target >= classes))
    if outside.any():
        raise IndexError(f"Target {target[outside].flat[0]} is out of bounds.")
    return kept


def _places(target: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """The position of each target's entry in an array of the shape, row by row: faster in numpy than an index."""
    return row_starts(shape) + (target if len(shape) < 3 else target * math.prod(shape[2:]))


@functools.lru_cache(maxsize=8)
def row_starts(shape: tuple[int, ...]) -> np.ndarray | int:
    """The positions of class 0, with classes along the second axis (the only one of a vector); do not write to it."""
    if len(shape) == 1:
        return 0
    inner = math.prod(shape[2:])
    starts = np.arange(shape[0])[:, None] * (shape[1] * inner) + np.arange(inner)
    return starts.reshape(shape[:1] + shape[2:])
