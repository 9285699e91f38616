"""Reductions: sums, means, and whether any or all entries are not 0.

`dim` is one axis or a tuple of them; without it all are reduced. With `keepdim` a reduced axis stays, with size 1.
Mirrors https://docs.pytorch.org/docs/stable/torch.html#reduction-ops
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad import upstream
from minigrad.compat import dtypes, summing
from minigrad.ops import comparison, where_clamp
from minigrad.ops.argument_parser import Axes, Dtype
from minigrad.ops.comparison import Question
from minigrad.ops.elementary import Portion
from minigrad.ops.operands import ALL, axes_of, counted, in_dtype, kept_shape, shape_left
from minigrad.ops.registry import define_all
from minigrad.runtime import array_ops
from minigrad.scalar import Function
from minigrad.tensor import Tensor


class SumDim(Function, name="SumBackward1"):
    """Σ along some axes: every summand gets the upstream gradient of its sum."""

    @staticmethod
    def forward(ctx: Any, a: Any, axes: tuple[int, ...], keepdim: bool, dtype: np.dtype | None = None) -> Any:
        ctx.input_shape, ctx.axes = a.shape, axes
        return summing.along(a, axes, shape_left(a.shape, axes, keepdim), dtype)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return array_ops.expand(grad_output.reshape(kept_shape(ctx.input_shape, ctx.axes)), ctx.input_shape)


class MeanDim(SumDim, name="MeanBackward1"):
    """The mean along some axes: every summand gets the upstream gradient of its mean, divided by their number."""

    @staticmethod
    def forward(ctx: Any, a: Any, axes: tuple[int, ...], keepdim: bool, dtype: np.dtype | None = None) -> Any:
        ctx.input_shape, ctx.axes = a.shape, axes
        return summing.along(a, axes, shape_left(a.shape, axes, keepdim), dtype) / counted(a.shape, axes)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        parts = counted(ctx.input_shape, ctx.axes)
        return array_ops.call(Portion, SumDim.backward(ctx, grad_output), parts=max(parts, 1))


def sum(input: Tensor, dim: Axes | None = ALL, keepdim: bool = False, *, dtype: Dtype | None = None) -> Tensor:
    """Σ over all entries, or along the axes `dim`; integers and bools in int64. IndexError for a wrong axis."""
    if dim is ALL and dtype is None:
        return upstream.Sum.apply(input)
    axes = axes_of(input, None if dim is ALL else dim)
    return SumDim.apply(input, axes=axes, keepdim=keepdim, dtype=in_dtype(input, dtype))


def mean(input: Tensor, dim: Axes | None = ALL, keepdim: bool = False, *, dtype: Dtype | None = None) -> Tensor:
    """The mean of all entries, or along the axes `dim`. RuntimeError for integers without a floating `dtype`."""
    if dim is ALL and dtype is None and input._array.dtype.kind == "f":
        return upstream.Mean.apply(input)
    asked = dtype or input.dtype
    if not asked.is_floating_point:
        expected = f"{'Optional' if dtype else 'Input'} dtype must be either a floating point or complex dtype"
        raise RuntimeError(f"mean(): could not infer output dtype. {expected}. Got: {asked.scalar_type}")
    axes = axes_of(input, None if dim is ALL else dim)
    return MeanDim.apply(input, axes=axes, keepdim=keepdim, dtype=in_dtype(input, dtype))


def nansum(input: Tensor, dim: Axes | None = None, keepdim: bool = False, *, dtype: Dtype | None = None) -> Tensor:
    """Σ over all entries, or along the axes `dim`, counting nan as 0."""
    return sum(where_clamp.masked_fill(input, comparison.isnan(input), 0), dim, keepdim, dtype=dtype)


def _quantifier(ask: Callable, text: str) -> Callable[..., Tensor]:
    def answer(input: Tensor, dim: Axes | None = None, keepdim: bool = False) -> Tensor:
        axes = axes_of(input, dim)
        kind = np.uint8 if input.dtype is dtypes.uint8 else np.bool_  # as in torch
        return Question.apply(input, ask=lambda a: ask(a, axis=axes, keepdims=keepdim).astype(kind))

    answer.__doc__ = f"""True if {text} not 0, of all or along the axes `dim`: a bool, or bools."""
    return answer


any = _quantifier(np.any, "one of the entries is")
all = _quantifier(np.all, "the entries are all")


def count_nonzero(input: Tensor, dim: Axes | None = None) -> Tensor:
    """The number of entries that are not 0, of all or along the axes `dim`: int64."""
    return Question.apply(input, ask=lambda a: (a != 0).sum(axis=axes_of(input, dim), dtype=np.int64))


define_all(globals(), "sum mean nansum any all count_nonzero")
