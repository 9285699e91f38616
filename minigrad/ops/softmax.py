"""Turning numbers into a distribution along an axis: softmax and its logarithm.
Mirrors https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.softmax.html
"""

from __future__ import annotations

import numpy as np

from minigrad.arithmetic.blocks import MANY, by_rows
from minigrad.compat import dtypes
from minigrad.graph import array_ops
from minigrad.ops.argument_parser import Axes, Dtype
from minigrad.ops.operands import axes_of, converted, kept_shape, no_kernel, recorded_as, shape_left, with_a_float
from minigrad.ops.registry import register
from minigrad.scalar import Function
from minigrad.tensor import Shares, Tensor, Value


def in_short_rows(a: np.ndarray, axis: int | tuple) -> bool:
    """Whether the axis runs along short rows: numpy adds up few long columns in a third of the time."""
    return axis == 1 and a.ndim == 2 and 0 < a.shape[1] < 16


def _share(g: np.ndarray, r: np.ndarray, axis: int | tuple) -> np.ndarray:
    """g - e^r Σ g."""
    if g.size >= MANY and axis == g.ndim - 1 and g.shape[-1] >= 16:
        return by_rows(lambda g, r: g - np.exp(r) * g.sum(-1, keepdims=True), g, r)
    sums = g.dot(array_ops.ones(g.shape[1], g.dtype))[:, None] if in_short_rows(g, axis) else g.sum(axis, keepdims=True)
    return g - np.exp(r) * sums


class SparseGrad:
    """An upstream gradient that is `number` at one place of each row (`places` count row by row) and 0 elsewhere: the
    loss of classes sends it to the log_softmax before it as it is, as nothing needs the zeros where nobody else looks.
    """

    __slots__ = ("places", "number", "shape", "dtype")

    def __init__(self, places: np.ndarray, number: np.ndarray, shape: tuple[int, ...], dtype: np.dtype):
        self.places, self.number, self.shape, self.dtype = places, number, shape, dtype

    def whole(self) -> np.ndarray:
        """The same as an array."""
        result = np.zeros(self.shape, self.dtype)
        result.reshape(-1)[self.places] = self.number
        return result

    def __array__(self, dtype: np.dtype | None = None, copy: bool | None = None) -> np.ndarray:
        return np.asarray(self.whole(), dtype)

    def __add__(self, other: np.ndarray) -> np.ndarray:
        return self.whole() + other

    __radd__ = __add__

    def share(self, r: np.ndarray) -> np.ndarray:
        """g - e^r Σ g for this g, to the same last bit: each row has the sum `number`."""
        result = np.exp(r)
        result *= -self.number
        result.reshape(-1)[self.places] += self.number
        return result


class LogSoftmaxShare(Function, name="LogSoftmaxBackwardDataBackward0"):
    """g - e^r Σ g, the share of log_softmax, for its result r and the upstream gradient g."""

    @staticmethod
    def forward(ctx: Function, g: np.ndarray, r: np.ndarray, axis: int | tuple) -> np.ndarray:
        ctx.save_for_backward(g, r)
        ctx.axis = axis
        return _share(g, r, axis)

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        g, r = ctx.saved_tensors
        powers = array_ops.exp(r)
        grad_g = grad_output - (grad_output * powers).sum(axis=ctx.axis, keepdims=True)
        return grad_g, -g.sum(axis=ctx.axis, keepdims=True) * powers * grad_output


_of_softmax = recorded_as("SoftmaxBackwardDataBackward0")


class Softmax(Function):
    """s = e^a / Σ e^a along an axis: dL/da = s (g - Σ g s), for the upstream gradient g."""

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, axis: int) -> np.ndarray:
        a, ctx.axis = np.asarray(a, order="C"), axis if a.ndim else ()
        last = axis == a.ndim - 1
        result = by_rows(_softmax_of_rows, a) if last and a.ndim else _softmax(a, ctx.axis, last)
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        (s,) = ctx.saved_tensors
        if type(grad_output) is np.ndarray and ctx.axis == s.ndim - 1:
            return by_rows(_softmax_share, grad_output, s)
        return _of_softmax(s * (grad_output - (grad_output * s).sum(axis=ctx.axis, keepdims=True)))


def _softmax(a: np.ndarray, axis: int | tuple, last: bool) -> np.ndarray:
    powers = array_ops.exp(a - a.max(axis=axis, keepdims=True, initial=-np.inf))
    total = powers.sum(axis=axis, keepdims=True)
    return powers * (1 / total) if last else powers / total  # the same as torch, to the last bit


def _softmax_of_rows(a: np.ndarray) -> np.ndarray:
    return _softmax(a, a.ndim - 1, True)


def _softmax_share(g: np.ndarray, s: np.ndarray) -> np.ndarray:
    return s * (g - (g * s).sum(axis=-1, keepdims=True))


class LogSoftmax(Function):
    """r = a - log Σ e^a along an axis: dL/da = g - e^r Σ g, for the upstream gradient g."""

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, axis: int) -> np.ndarray:
        ctx.axis = axis if a.ndim else ()
        turned = in_short_rows(a, axis)
        a, along = (np.ascontiguousarray(a.T), 0) if turned else (np.asarray(a, order="C"), ctx.axis)
        if a.size >= MANY and along == a.ndim - 1:
            below = by_rows(lambda a: _log_softmax(a, a.ndim - 1), a)
        else:
            below = _log_softmax(a, along)
        result = np.ascontiguousarray(below.T) if turned else below
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx: Function, grad_output: Value | SparseGrad) -> Shares:
        (result,) = ctx.saved_tensors
        if isinstance(grad_output, SparseGrad):
            return grad_output.share(result)
        if isinstance(grad_output, Tensor):
            return LogSoftmaxShare.apply(grad_output, result, axis=ctx.axis)
        return _share(grad_output, result, ctx.axis)


def _log_softmax(a: np.ndarray, axis: int | tuple) -> np.ndarray:
    below = a - np.maximum.reduce(a, axis=axis, keepdims=True, initial=-np.inf)
    below -= np.log(np.add.reduce(np.exp(below), axis=axis, keepdims=True))
    return below


def _prepared(name: str, input: Tensor, dim: int, dtype: Dtype | None) -> tuple[Tensor, int]:
    """The input in its dtype, and the axis. NotImplementedError, in torch's words, for integers and bools."""
    input, axis = converted(input, dtype), dtypes.axis_of(input._array.ndim, dim)
    if input._array.dtype.kind != "f":
        kernel = f"{name}_lastdim_kernel_impl" if axis >= input.ndim - 1 else f"{name}_kernel_impl"
        raise no_kernel(kernel, input.dtype)
    return input, axis


@register("softmax")
def softmax(input: Tensor, dim: int, dtype: Dtype | None = None) -> Tensor:
    """e^a / Σ e^a along an axis: positive numbers whose sum is 1. NotImplementedError for integers."""
    input, axis = _prepared("softmax", input, dim, dtype)
    return Softmax.apply(input, axis=axis)


@register("log_softmax")
def log_softmax(input: Tensor, dim: int, dtype: Dtype | None = None) -> Tensor:
    """The logarithm of softmax, a - log Σ e^a along an axis. NotImplementedError for integers."""
    input, axis = _prepared("log_softmax", input, dim, dtype)
    return LogSoftmax.apply(input, axis=axis)


class Logsumexp(Function):
    """r = log Σ e^a along some axes: d/da = e^(a - r), the softmax."""

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, axes: tuple[int, ...], keepdim: bool) -> np.ndarray:
        largest = a.max(axis=axes, keepdims=True, initial=-np.inf)
        largest = np.where(np.isfinite(largest), largest, 0)
        total = array_ops.exp(a - largest).sum(axis=axes, keepdims=True)
        result = (np.log(total) + largest).astype(a.dtype).reshape(shape_left(a.shape, axes, keepdim))
        ctx.save_for_backward(a, result)
        ctx.axes = axes
        return result

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        a, result = ctx.saved_tensors
        kept = kept_shape(a.shape, ctx.axes)
        return grad_output.reshape(kept) * array_ops.exp(a - result.reshape(kept))


class Logcumsumexp(Function):
    """r = log Σ e^a of an entry and all before it along an axis: aᵢ gets Σ gⱼ e^(aᵢ - rⱼ) over all j ≥ i."""

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, axis: int) -> np.ndarray:
        result = np.logaddexp.accumulate(a.astype(np.float64), axis).astype(a.dtype) if a.ndim else np.array(a)
        ctx.save_for_backward(a, result)
        ctx.axis = axis
        return result

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        a, result = ctx.saved_tensors
        if not a.shape:
            return grad_output
        g, shares = array_ops.raw(grad_output), []
        size = array_ops.log(abs(grad_output))
        for chosen in (g > 0, g < 0):  # as torch, which takes logarithms of what is above 0 and of what is below
            log = array_ops.where(chosen, size, float(np.finfo(g.dtype).min)) - result
            sums = array_ops.call(Logcumsumexp, array_ops.flip(log, ctx.axis), axis=ctx.axis)
            shares.append(array_ops.exp(array_ops.flip(sums, ctx.axis) + a))
        return shares[0] - shares[1]


@register("logcumsumexp")
def logcumsumexp(input: Tensor, dim: int) -> Tensor:
    """log Σ e^a of each entry and all before it along an axis. NotImplementedError for integers."""
    if not input.dtype.is_floating_point:
        raise no_kernel("logcumsumexp_out_cpu", input.dtype)
    return Logcumsumexp.apply(input, axis=dtypes.axis_of(input.ndim, dim))


@register("logsumexp")
def logsumexp(input: Tensor, dim: Axes, keepdim: bool = False) -> Tensor:
    """log Σ e^a along the axes `dim`: a smooth version of the largest entry. Integers become floats."""
    return Logsumexp.apply(*with_a_float(input), axes=axes_of(input, dim), keepdim=keepdim)
