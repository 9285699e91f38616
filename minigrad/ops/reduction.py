"""Many entries to one: sums, means, and whether any or all are not 0.

`dim` is one axis, negative ones counted from the end, or a tuple of them; without it all entries are reduced. With
`keepdim` a reduced axis stays, with size 1. `axis` and `keepdims` mean the same.

Mirrors https://docs.pytorch.org/docs/stable/torch.html#reduction-ops
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad import upstream
from minigrad.compat import dtypes, summing
from minigrad.ops.argument_parser import Ints
from minigrad.ops.axes import ALL, axes_of, counted, in_dtype, kept_shape, shape_left
from minigrad.ops.comparison import Question
from minigrad.ops.elementary import Portion
from minigrad.ops.operands import variant
from minigrad.ops.registry import define_all
from minigrad.runtime import array_ops
from minigrad.scalar import Function
from minigrad.tensor import Tensor


class SumDim(Function, name="SumBackward1"):
    """Σ along some axes: every summand gets the upstream gradient of its sum."""

    __slots__ = ("input_shape", "axes")

    @staticmethod
    def forward(ctx: Any, a: Any, axes: tuple[int, ...], keepdim: bool, dtype: np.dtype | None = None) -> Any:
        ctx.input_shape, ctx.axes = a.shape, axes
        return summing.along(a, axes, shape_left(a.shape, axes, keepdim), dtype)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return array_ops.expand(grad_output.reshape(kept_shape(ctx.input_shape, ctx.axes)), ctx.input_shape)


SumAs = variant("SumAs", SumDim, "SumBackward0")  # Σ over all entries, in another dtype


class MeanDim(SumDim, name="MeanBackward1"):
    """The mean along some axes: every summand gets the upstream gradient of its mean, divided by their number."""

    __slots__ = ()

    @staticmethod
    def forward(ctx: Any, a: Any, axes: tuple[int, ...], keepdim: bool, dtype: np.dtype | None = None) -> Any:
        ctx.input_shape, ctx.axes = a.shape, axes
        return summing.along(a, axes, shape_left(a.shape, axes, keepdim), dtype) / counted(a.shape, axes)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        parts = counted(ctx.input_shape, ctx.axes)
        return array_ops.call(Portion, SumDim.backward(ctx, grad_output), parts=max(parts, 1))


MeanAs = variant("MeanAs", MeanDim, "MeanBackward0")  # The mean of all entries, in another dtype


class Nansum(SumDim):
    """Σ along some axes without the entries that are nan: those get no gradient."""

    __slots__ = ()

    @staticmethod
    def forward(ctx: Any, a: Any, axes: tuple[int, ...], keepdim: bool, dtype: np.dtype | None = None) -> Any:
        ctx.input_shape, ctx.axes = a.shape, axes
        ctx.save_for_backward(a)
        return summing.along(np.where(np.isnan(a), 0, a), axes, shape_left(a.shape, axes, keepdim), dtype)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        (a,) = ctx.saved_tensors
        counts = array_ops.cast(array_ops.like(~np.isnan(array_ops.raw(a)), grad_output), ctx.dtype)
        return SumDim.backward(ctx, grad_output) * counts


def sum(
    input: Tensor, dim: int | Ints | None = ALL, keepdim: bool = False, *, dtype: dtypes.dtype | None = None
) -> Tensor:
    """Σ over all entries, or along the axes `dim`; integers and bools sum to int64. IndexError for an axis that is not
    there, RuntimeError for one named twice.
    """
    if dim is not ALL:
        return SumDim.apply(input, axes=axes_of(input, dim), keepdim=keepdim, dtype=in_dtype(input, dtype))
    if dtype is None:
        return upstream.Sum.apply(input)
    return SumAs.apply(input, axes=axes_of(input, None), keepdim=False, dtype=in_dtype(input, dtype))


def mean(
    input: Tensor, dim: int | Ints | None = ALL, keepdim: bool = False, *, dtype: dtypes.dtype | None = None
) -> Tensor:
    """The mean of all entries, or along the axes `dim`. RuntimeError for integers and bools, unless `dtype` is a
    floating one.
    """
    if dim is ALL and dtype is None and input._array.dtype.kind == "f":
        return upstream.Mean.apply(input)
    if not (dtype or input.dtype).is_floating_point:
        raise RuntimeError(
            f"mean(): could not infer output dtype. {'Optional' if dtype else 'Input'} dtype must be either a "
            f"floating point or complex dtype. Got: {(dtype or input.dtype).scalar_type}"
        )
    if dim is not ALL:
        return MeanDim.apply(input, axes=axes_of(input, dim), keepdim=keepdim, dtype=in_dtype(input, dtype))
    return MeanAs.apply(input, axes=axes_of(input, None), keepdim=False, dtype=in_dtype(input, dtype))


def nansum(
    input: Tensor, dim: int | Ints | None = None, keepdim: bool = False, *, dtype: dtypes.dtype | None = None
) -> Tensor:
    """Σ over all entries, or along the axes `dim`, where nan counts as 0."""
    if not input.dtype.is_floating_point:
        return sum(input, dim, keepdim, dtype=dtype)
    return Nansum.apply(input, axes=axes_of(input, dim), keepdim=keepdim, dtype=in_dtype(input, dtype))


def _quantifier(ask: Callable, text: str) -> Callable[..., Tensor]:
    def answer(input: Tensor, dim: int | Ints | None = None, keepdim: bool = False) -> Tensor:
        axes = axes_of(input, dim)
        kind = np.uint8 if input.dtype is dtypes.uint8 else np.bool_  # as in torch
        return Question.apply(input, ask=lambda a: ask(a, axis=axes, keepdims=keepdim).astype(kind))

    answer.__doc__ = f"""True if {text} not 0, of all or along the axes `dim`: a bool, or bools."""
    return answer


any = _quantifier(np.any, "one of the entries is")
all = _quantifier(np.all, "the entries are all")


def count_nonzero(input: Tensor, dim: int | Ints | None = None) -> Tensor:
    """How many entries are not 0, of all or along the axes `dim`: int64."""
    axes = axes_of(input, dim)
    return Question.apply(input, ask=lambda a: (a != 0).sum(axis=axes, dtype=np.int64))


define_all(globals(), "sum mean nansum any all count_nonzero")
