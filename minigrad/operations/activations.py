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


class Sigmoid(OfResult):
    """s = 1/(1 + e^-a): d/da = (1 - s) s.

    >>> Tensor([0., 1.]).sigmoid()
    tensor([0.5000, 0.7311])
    """

    __slots__ = ()
    value = staticmethod(lambda a: 1 / (1 + alike.exp(-a)))
    share = staticmethod(lambda g, r: g * (1 - r) * r)


class Threshold(Function, name="ThresholdBackwardBackward0"):
    """The share of relu's backward: g where r > 0, else 0. In r it is flat, so the second derivative of relu is 0."""

    __slots__ = ()

    @staticmethod
    def forward(ctx: Any, g: Any, r: Any) -> Any:
        ctx.save_for_backward(r)
        return np.where(r <= 0, 0, g)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        (r,) = ctx.saved_tensors
        return alike.where(alike.raw(r) <= 0, 0, grad_output), alike.zeros(ctx.shape, ctx.dtype, grad_output)


class Relu(OfResult):
    """max(a, 0): d/da = 1 for a > 0, else 0, also at 0."""

    __slots__ = ()
    value = staticmethod(lambda a: np.maximum(0, a))
    share = staticmethod(lambda g, r: alike.call(Threshold, g, r))


def relu(input: Tensor) -> Tensor:
    """max(a, 0): d/da = 1 for a > 0, else 0, also at 0. RuntimeError for bools.

    >>> Tensor([-1., 0., 2.]).relu()
    tensor([0., 0., 2.])
    """
    if input.dtype is dtypes.bool_:
        raise RuntimeError("Boolean inputs not supported for relu")
    return Relu.apply(input)


define("sigmoid", function_of(Sigmoid), in_place=True)
define("relu", relu, in_place=True)
