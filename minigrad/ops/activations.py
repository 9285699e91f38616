"""The bends that networks are made of: sigmoid and relu (tanh is among the functions of angles).

Mirrors https://docs.pytorch.org/docs/stable/nn.functional.html#non-linear-activation-functions
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from minigrad.ops.elementary import OfResult, function_of
from minigrad.ops.registry import define
from minigrad.runtime import array_ops
from minigrad.scalar import Function
from minigrad.tensor import Tensor


class SigmoidShare(Function, name="SigmoidBackwardBackward0"):
    """g (1 - r) r, the share of sigmoid's backward: d/dg = (1 - r) r, d/dr = g (1 - 2 r)."""

    __slots__ = ()

    @staticmethod
    def forward(ctx: Any, g: Any, r: Any) -> Any:
        ctx.save_for_backward(g, r)
        return g * (1 - r) * r

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        g, r = ctx.saved_tensors
        return array_ops.call(SigmoidShare, grad_output, r), grad_output * g * (-2 * r + 1)


class Sigmoid(OfResult):
    """s = 1/(1 + e^-a): d/da = (1 - s) s."""

    __slots__ = ()
    value = staticmethod(lambda a: 1 / (1 + array_ops.exp(-a)))
    share = staticmethod(lambda g, r: array_ops.call(SigmoidShare, g, r))


BITS = {np.dtype(each): np.dtype(f"int{8 * each().itemsize}") for each in (np.float16, np.float32, np.float64)}
ZERO = {each: np.zeros((), each) for each in BITS}  # an array, as numpy takes longer for a number


@functools.lru_cache(maxsize=8)
def zeros(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Zeros to be read only. Beside a whole array of them, numpy's maximum is four times faster than beside one 0."""
    return np.zeros(shape, dtype)


def _passed(g: Any, r: Any) -> Any:
    """g where r, a result of relu, is not 0, else 0: its bits times 1 or 0. np.where takes longer."""
    bits = BITS[g.dtype]
    passed = (r != ZERO[r.dtype]).astype(bits)
    passed *= g.view(bits)
    return passed.view(g.dtype)


class ReluShare(Function, name="ThresholdBackwardBackward0"):
    """The share of relu's backward: g where r > 0, else 0. In r it is flat, so the second derivative of relu is 0."""

    __slots__ = ()

    @staticmethod
    def forward(ctx: Any, g: Any, r: Any) -> Any:
        ctx.save_for_backward(r)
        return _passed(g, r)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        (r,) = ctx.saved_tensors
        return array_ops.where(array_ops.raw(r) <= 0, 0, grad_output), array_ops.zeros(
            ctx.shape, ctx.dtype, grad_output
        )


class Relu(Function):
    """max(a, 0): d/da = 1 for a > 0, else 0, also at 0."""

    __slots__ = ()

    @staticmethod
    def forward(ctx: Any, a: Any) -> Any:
        nothing = zeros(a.shape if a.flags.c_contiguous else (), a.dtype)  # the result lies in memory as a does
        # -0 stays as it is: of 0 and -0 numpy keeps the second, but the first if they are float16
        result = np.maximum(nothing, a) if a.dtype.itemsize > 2 else np.maximum(a, nothing)
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        (r,) = ctx.saved_tensors
        return ReluShare.apply(grad_output, r) if isinstance(grad_output, Tensor) else _passed(grad_output, r)


def relu(input: Tensor) -> Tensor:
    """max(a, 0): d/da = 1 for a > 0, else 0, also at 0. RuntimeError for bools."""
    if input._array.dtype.kind == "b":
        raise RuntimeError("Boolean inputs not supported for relu")
    return Relu.apply(input)


define("sigmoid", function_of(Sigmoid), in_place=True)
define("relu", relu, in_place=True)
