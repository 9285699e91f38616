"""Activations with a node of their own: leaky_relu, elu, gelu, silu, softplus.

Mirrors https://docs.pytorch.org/docs/stable/nn.functional.html#non-linear-activation-functions
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad.runtime import array_ops
from minigrad.scalar import Function
from minigrad.tensor import Tensor


class LeakyRelu(Function):
    """a where a > 0, else slope · a: the derivative is 1 or the slope."""

    __slots__ = ("slope",)

    @staticmethod
    def forward(ctx: Any, a: Any, slope: float) -> Any:
        ctx.save_for_backward(a)
        ctx.slope = slope
        return np.where(a > 0, a, a * slope)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        (a,) = ctx.saved_tensors
        return array_ops.call(LeakyReluShare, grad_output, a, slope=ctx.slope)


class LeakyReluShare(Function, name="LeakyReluBackwardBackward0"):
    """The share of leaky_relu's backward. In a it is flat, so the second derivative of leaky_relu is 0."""

    __slots__ = ("slope",)

    @staticmethod
    def forward(ctx: Any, g: Any, a: Any, slope: float) -> Any:
        ctx.save_for_backward(a)
        ctx.slope = slope
        return np.where(a > 0, g, g * slope)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        (a,) = ctx.saved_tensors
        share = array_ops.where(array_ops.raw(a) > 0, grad_output, grad_output * ctx.slope)
        return share, array_ops.zeros(ctx.shape, ctx.dtype, grad_output)


class LeakyReluOfResult(LeakyRelu, name="LeakyReluBackward1"):
    """leaky_relu in place: the result is saved, which has the sign of the input. RuntimeError for a negative slope."""

    __slots__ = ()

    @staticmethod
    def forward(ctx: Any, a: Any, slope: float) -> Any:
        result = LeakyRelu.forward(ctx, a, slope)
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        if ctx.slope < 0:
            raise RuntimeError(
                "In-place leakyReLu backward calculation is triggered with a negative slope which is not supported. "
                "This is caused by calling in-place forward function with a negative slope, please call out-of-place "
                "version instead. File an issue at https://github.com/pytorch/pytorch if you do require supporting "
                "in-place leakRelu backward calculation with negative slope"
            )
        return LeakyRelu.backward(ctx, grad_output)


class Elu(Function):
    """a where a > 0, else α · (eᵃ - 1): the derivative is 1 or α · eᵃ."""

    __slots__ = ("alpha",)

    @staticmethod
    def forward(ctx: Any, a: Any, alpha: float) -> Any:
        ctx.save_for_backward(a)
        ctx.alpha = alpha
        return np.where(a <= 0, np.expm1(a) * alpha, a)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        (a,) = ctx.saved_tensors
        return array_ops.where(array_ops.raw(a) <= 0, grad_output * (array_ops.exp(a) * ctx.alpha), grad_output)


class EluOfResult(Elu, name="EluBackward1"):
    """elu in place: α · eᵃ is the result plus α. RuntimeError for a negative α."""

    __slots__ = ()

    @staticmethod
    def forward(ctx: Any, a: Any, alpha: float) -> Any:
        result = Elu.forward(ctx, a, alpha)
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        if ctx.alpha < 0:
            raise RuntimeError(
                "In-place elu backward calculation is triggered with a negative slope which is not supported. This is "
                "caused by calling in-place forward function with a negative slope, please call out-of-place version "
                "instead."
            )
        (result,) = ctx.saved_tensors
        return array_ops.where(array_ops.raw(result) <= 0, grad_output * (result + ctx.alpha), grad_output)


class Silu(Function):
    """a · σ(a): the derivative is σ(a) · (1 + a · (1 - σ(a)))."""

    __slots__ = ()

    @staticmethod
    def forward(ctx: Any, a: Any) -> Any:
        ctx.save_for_backward(a)
        return a * sigmoid(a)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        (a,) = ctx.saved_tensors
        s = sigmoid(a)
        return grad_output * (s * (1 + a * (1 - s)))


class Gelu(Function):
    """a · Φ(a), where Φ is the normal distribution's: the derivative is Φ(a) + a · φ(a).

    "tanh" takes (1 + tanh u) / 2 for Φ, with u = √(2/π) · (a + 0.044715 · a³).
    """

    __slots__ = ("approximate",)

    @staticmethod
    def forward(ctx: Any, a: Any, approximate: str) -> Any:
        ctx.save_for_backward(a)
        ctx.approximate = approximate
        return a * 0.5 * (1 + (_tanh(_inner(a)) if approximate == "tanh" else _erf(a * math.sqrt(0.5))))

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        (a,) = ctx.saved_tensors
        if ctx.approximate == "tanh":
            t = _tanh(_inner(a))
            slope = math.sqrt(2 / math.pi) * (1 + 3 * 0.044715 * (a * a))
            return grad_output * (0.5 * (1 + t) + 0.5 * a * (1 - t * t) * slope)
        density = array_ops.exp(-0.5 * (a * a)) * (1 / math.sqrt(2 * math.pi))
        return grad_output * (0.5 * (1 + _erf(a * math.sqrt(0.5))) + a * density)


class Softplus(Function):
    """log(1 + e^βa) / β, and a itself where βa is beyond the threshold: the derivative is σ(βa), or 1."""

    __slots__ = ("beta", "threshold")

    @staticmethod
    def forward(ctx: Any, a: Any, beta: float, threshold: float) -> Any:
        ctx.save_for_backward(a)
        ctx.beta, ctx.threshold = beta, threshold
        return np.where(a * beta > threshold, a, _log1p(array_ops.exp(a * beta)) / beta).astype(a.dtype)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        (a,) = ctx.saved_tensors
        beyond = array_ops.raw(a) * ctx.beta > ctx.threshold
        return array_ops.where(beyond, grad_output, grad_output * sigmoid(a * ctx.beta))


_log1p = array_ops.exactly(np.log1p)


def sigmoid(value: Any) -> Any:
    """1 / (1 + e⁻ᵃ), of an array or a Tensor."""
    return value.sigmoid() if isinstance(value, Tensor) else 1 / (1 + np.exp(-value))


def _inner(a: Any) -> Any:
    return math.sqrt(2 / math.pi) * (a + 0.044715 * (a * a * a))


def _tanh(value: Any) -> Any:
    return value.tanh() if isinstance(value, Tensor) else np.tanh(value)


_erf_of_numbers = np.frompyfunc(math.erf, 1, 1)


def _erf(value: Any) -> Any:
    return value.erf() if isinstance(value, Tensor) else np.asarray(_erf_of_numbers(value), value.dtype)
