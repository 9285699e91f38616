"""The bends that networks are made of: sigmoid and relu (tanh is among the functions of angles).

Mirrors https://docs.pytorch.org/docs/stable/nn.functional.html#non-linear-activation-functions
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import alike, dtypes
from minigrad.operations.arguments import define
from minigrad.operations.elementary import OfResult, function_of
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
        return alike.call(SigmoidShare, grad_output, r), grad_output * g * (-2 * r + 1)


class Sigmoid(OfResult):
    """s = 1/(1 + e^-a): d/da = (1 - s) s.

    >>> Tensor([0., 1.]).sigmoid()
    tensor([0.5000, 0.7311])
    """

    __slots__ = ()
    value = staticmethod(lambda a: 1 / (1 + alike.exp(-a)))
    share = staticmethod(lambda g, r: alike.call(SigmoidShare, g, r))


FLOATING = [np.dtype(each) for each in (np.float16, np.float32, np.float64)]
BITS = {each: np.dtype(f"int{8 * each.itemsize}") for each in FLOATING}  # integers of the same size
MINUS_ZERO = {each: int(np.iinfo(bits).min) for each, bits in BITS.items()}  # its bits, the lowest integer
ZERO = {each.numpy: np.zeros((), each.numpy) for each in dtypes.ALL}  # an array, as numpy takes longer for a number


def _passed(a: Any, positive: Any) -> Any:
    """a where `positive` is 1, else 0: the bits multiplied. np.where and np.maximum take longer."""
    return (positive * a.view(positive.dtype)).view(a.dtype)


class ReluShare(Function, name="ThresholdBackwardBackward0"):
    """The share of relu's backward: g where r > 0, else 0. In r it is flat, so the second derivative of relu is 0."""

    __slots__ = ()

    @staticmethod
    def forward(ctx: Any, g: Any, r: Any) -> Any:
        ctx.save_for_backward(r)
        return _passed(g, (~(r <= ZERO[r.dtype])).astype(BITS[g.dtype]))

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        (r,) = ctx.saved_tensors
        return alike.where(alike.raw(r) <= 0, 0, grad_output), alike.zeros(ctx.shape, ctx.dtype, grad_output)


class Relu(Function):
    """max(a, 0): d/da = 1 for a > 0, else 0, also at 0."""

    __slots__ = ("positive",)
    exact = True

    @staticmethod
    def forward(ctx: Any, a: Any) -> Any:
        dtype = a.dtype
        if dtype in BITS:
            ctx.positive = positive = (~(a <= ZERO[dtype])).astype(BITS[dtype])  # 1 for nan, too
            bits = a.view(positive.dtype)
        if dtype not in BITS or (a.size and bits.item(bits.argmin()) == MINUS_ZERO[dtype]):
            result = np.maximum(ZERO[dtype], a)  # keeps the sign of -0
        else:
            result = (positive * bits).view(dtype)
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        (r,) = ctx.saved_tensors
        return (
            ReluShare.apply(grad_output, r) if isinstance(grad_output, Tensor) else _passed(grad_output, ctx.positive)
        )


def relu(input: Tensor) -> Tensor:
    """max(a, 0): d/da = 1 for a > 0, else 0, also at 0. RuntimeError for bools.

    >>> Tensor([-1., 0., 2.]).relu()
    tensor([0., 0., 2.])
    """
    if input._array.dtype.kind == "b":
        raise RuntimeError("Boolean inputs not supported for relu")
    return Relu.node.apply1(input)


define("sigmoid", function_of(Sigmoid), in_place=True)
define("relu", relu, in_place=True)
