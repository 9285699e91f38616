"""Layers with a node of their own: embedding and layer_norm.

Mirrors https://docs.pytorch.org/docs/stable/nn.functional.html
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.runtime import array_ops
from minigrad.scalar import Function
from minigrad.tensor import Tensor


class Embedding(Function):
    """Rows of a table by their numbers: a row that is taken several times gets the sum of its upstream gradients.

    The row `padding` gets none.
    """

    __slots__ = ("rows", "padding", "size")
    saves = ("indices",)

    @staticmethod
    def forward(ctx: Any, table: Any, rows: Any, padding: int) -> Any:
        ctx.rows, ctx.padding, ctx.size = rows, padding, table.shape
        return table[rows]

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        _ = ctx.saved_tensors  # an error if the numbers were changed since
        rows = ctx.rows.reshape(-1)
        flat = grad_output.reshape((rows.size, ctx.size[1]))
        if isinstance(flat, Tensor):
            taken = (np.arange(ctx.size[0])[:, None] == rows) & (rows != ctx.padding)
            return array_ops.like(taken.astype(ctx.dtype), flat) @ flat
        grad = np.zeros(ctx.size, ctx.dtype)
        np.add.at(grad, rows[rows != ctx.padding], flat[rows != ctx.padding])
        return grad


class NativeLayerNorm(Function):
    """w · n + b with n = (a - mean) / √(variance + ε), over the last axes, as many as `axes` says.

    dL/dw = Σ g·n, dL/db = Σ g over the other axes; dL/da = (h - mean h - n · mean(h·n)) / √(variance + ε), h = g·w.
    """

    __slots__ = ("axes", "eps")
    promotes = False

    @staticmethod
    def forward(ctx: Any, a: Any, weight: Any, bias: Any, axes: int, eps: float) -> Any:
        ctx.save_for_backward(a, weight)
        ctx.axes, ctx.eps = tuple(range(a.ndim - axes, a.ndim)), eps
        return _normalized(a, ctx.axes, eps)[0] * weight + bias

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, weight = ctx.saved_tensors
        needs_a, needs_weight, needs_bias = ctx.needs_input_grad
        n, spread = _normalized(a, ctx.axes, ctx.eps)
        h = grad_output * weight
        along = {"axis": ctx.axes, "keepdims": True}
        size = np.prod([n.shape[axis] for axis in ctx.axes]).item()
        return (
            (h - h.sum(**along) / size - n * ((h * n).sum(**along) / size)) / spread if needs_a else None,
            grad_output * n if needs_weight else None,  # summed to the weight's shape where it leaves the node
            grad_output if needs_bias else None,
        )


def _normalized(a: Any, axes: tuple[int, ...], eps: float) -> tuple[Any, Any]:
    """a with mean 0 and variance 1 along the axes, and what it was divided by."""
    size = max(np.prod([a.shape[axis] for axis in axes]).item(), 1)
    centred = a - a.sum(axis=axes, keepdims=True) / size
    spread = array_ops.sqrt((centred * centred).sum(axis=axes, keepdims=True) / size + eps)
    return centred / spread, spread
