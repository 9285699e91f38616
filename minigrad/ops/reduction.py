"""Reductions: sums, means, products, and whether any or all entries are not 0; running sums and products.

`dim` is one axis or a tuple of them; without it all are reduced. With `keepdim` a reduced axis stays, with size 1.
Mirrors https://docs.pytorch.org/docs/stable/torch.html#reduction-ops
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from minigrad import upstream
from minigrad.arithmetic import summing
from minigrad.compat import dtypes
from minigrad.compat.versions import refusal
from minigrad.graph import array_ops
from minigrad.ops.argument_parser import Axes, Dtype
from minigrad.ops.comparison import Question
from minigrad.ops.elementary import Portion
from minigrad.ops.operands import (
    ALL,
    axes_of,
    counted,
    each_slice,
    in_dtype,
    kept_shape,
    refuse_bools,
    shape_left,
    variant,
)
from minigrad.ops.registry import register
from minigrad.scalar import Function
from minigrad.tensor import Shares, Tensor, Value


class SumDim(Function, name="SumBackward1"):
    """Σ along some axes: every summand gets the upstream gradient of its sum."""

    @staticmethod
    def forward(
        ctx: Function, a: np.ndarray, axes: tuple[int, ...], keepdim: bool, dtype: np.dtype | None = None
    ) -> np.ndarray:
        ctx.input_shape, ctx.axes = a.shape, axes
        return summing.along(a, axes, shape_left(a.shape, axes, keepdim), dtype)

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Value:
        return array_ops.expand(grad_output.reshape(kept_shape(ctx.input_shape, ctx.axes)), ctx.input_shape)


class MeanDim(SumDim, name="MeanBackward1"):
    """The mean along some axes: every summand gets the upstream gradient of its mean, divided by their number."""

    @staticmethod
    def forward(
        ctx: Function, a: np.ndarray, axes: tuple[int, ...], keepdim: bool, dtype: np.dtype | None = None
    ) -> np.ndarray:
        ctx.input_shape, ctx.axes = a.shape, axes
        return summing.along(a, axes, shape_left(a.shape, axes, keepdim), dtype) / counted(a.shape, axes)

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Value:
        parts = counted(ctx.input_shape, ctx.axes)
        return array_ops.call(Portion, SumDim.backward(ctx, grad_output), parts=max(parts, 1))


@register("sum")
def sum(input: Tensor, dim: Axes | None = ALL, keepdim: bool = False, *, dtype: Dtype | None = None) -> Tensor:
    """Σ over all entries, or along the axes `dim`; integers and bools in int64. IndexError for a wrong axis."""
    if dim is ALL and dtype is None:
        return upstream.Sum.apply(input)
    axes = axes_of(input, None if dim is ALL else dim)
    return SumDim.apply(input, axes=axes, keepdim=keepdim, dtype=in_dtype(input, dtype))


@register("mean")
def mean(input: Tensor, dim: Axes | None = ALL, keepdim: bool = False, *, dtype: Dtype | None = None) -> Tensor:
    """The mean of all entries, or along the axes `dim`. RuntimeError for integers without a floating `dtype`."""
    if dim is ALL and dtype is None and input._array.dtype.kind == "f":
        return upstream.Mean.apply(input)
    asked = dtype or input.dtype
    if not asked.is_floating_point:
        expected = f"{'Optional' if dtype else 'Input'} dtype must be either a floating point or complex dtype"
        text = f"mean(): could not infer output dtype. {expected}. Got: {asked.scalar_type}"
        raise refusal("dtypes_not_implemented")(text)
    axes = axes_of(input, None if dim is ALL else dim)
    return MeanDim.apply(input, axes=axes, keepdim=keepdim, dtype=in_dtype(input, dtype))


class Nansum(SumDim):
    """Σ along some axes of what is not nan: every summand gets the upstream gradient of its sum, nan gets 0."""

    @staticmethod
    def forward(
        ctx: Function, a: np.ndarray, axes: tuple[int, ...], keepdim: bool, dtype: np.dtype | None = None
    ) -> np.ndarray:
        ctx.save_for_backward(a)
        known = np.where(np.isnan(a), 0, a) if a.dtype.kind == "f" else a
        return SumDim.forward(ctx, known.astype(a.dtype, copy=False), axes, keepdim, dtype)

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Value:
        (a,) = ctx.saved_tensors
        return array_ops.masked(SumDim.backward(ctx, grad_output), np.isnan(array_ops.raw(a)))


@register("nansum")
def nansum(input: Tensor, dim: Axes | None = None, keepdim: bool = False, *, dtype: Dtype | None = None) -> Tensor:
    """Σ over all entries, or along the axes `dim`, counting nan as 0."""
    return Nansum.apply(input, axes=axes_of(input, dim), keepdim=keepdim, dtype=in_dtype(input, dtype))


def _quantifier(ask: Callable, text: str) -> Callable[..., Tensor]:
    def answer(input: Tensor, dim: Axes | None = None, keepdim: bool = False) -> Tensor:
        axes = axes_of(input, dim)
        kind = np.uint8 if input.dtype is dtypes.uint8 else np.bool_  # as in torch
        return Question.apply(input, ask=lambda a: ask(a, axis=axes, keepdims=keepdim).astype(kind))

    answer.__doc__ = f"""True if {text} not 0, of all or along the axes `dim`: a bool, or bools."""
    return answer


any = register("any", _quantifier(np.any, "one of the entries is"))
all = register("all", _quantifier(np.all, "the entries are all"))


@register("count_nonzero")
def count_nonzero(input: Tensor, dim: Axes | None = None) -> Tensor:
    """The number of entries that are not 0, of all or along the axes `dim`: int64."""
    return Question.apply(input, ask=lambda a: (a != 0).sum(axis=axes_of(input, dim), dtype=np.int64))


class Prod(Function):
    """Π over all entries, or along one axis: d/daᵢ is the product of the others, the result / aᵢ without a zero."""

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, axis: int | None, keepdim: bool, dtype: np.dtype | None) -> np.ndarray:
        result = a.prod(axis=axis if a.ndim else None, keepdims=keepdim, dtype=dtype or summing.summed_dtype(a))
        ctx.save_for_backward(a, result)
        ctx.axis = axis
        return result

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        a, result = ctx.saved_tensors
        if not a.shape:
            return grad_output
        kept = kept_shape(a.shape, (ctx.axis,)) if ctx.axis is not None else (1,) * len(a.shape)
        grad_output, zeros = grad_output.reshape(kept), np.count_nonzero(array_ops.raw(a) == 0)
        if not zeros:
            return grad_output * (result.reshape(kept) / a)
        if ctx.axis is not None:
            return grad_output * product_of_others(a, ctx.axis)
        if zeros > 1 and not array_ops.is_tensor(a):
            return array_ops.zeros(a.shape, ctx.dtype, grad_output)  # 0 times the others would be -0 here and there
        return (grad_output.reshape((1,)) * product_of_others(a.reshape((-1,)), 0)).reshape(tuple(a.shape))


ProdDim = variant("ProdDim", Prod, "ProdBackward1")  # Π along one axis


def product_of_others(a: Value, axis: int) -> Value:
    """The product of all other entries along the axis, for each entry: those before it times those after it."""
    parts = each_slice(a, axis)
    one = array_ops.like(np.ones_like(array_ops.raw(parts[0])), a)
    before, after = [one], [one]
    for part in parts[:-1]:
        before.append(before[-1] * part)
    for part in parts[:0:-1]:
        after.append(after[-1] * part)
    return array_ops.stack([left * right for left, right in zip(before, reversed(after), strict=True)], axis)


@register("prod")
def prod(input: Tensor, dim: int | None = None, keepdim: bool = False, *, dtype: Dtype | None = None) -> Tensor:
    """Π over all entries, or along one axis; integers and bools in int64."""
    axis = None if dim is None else dtypes.axis_of(input.ndim, dim)
    return (Prod if dim is None else ProdDim).apply(input, axis=axis, keepdim=keepdim, dtype=in_dtype(input, dtype))


class Cumsum(Function):
    """Σ of an entry and all before it along an axis: its gradient is the sum of those that come after it."""

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, axis: int, dtype: np.dtype | None) -> np.ndarray:
        ctx.axis = axis
        result = running(np.cumsum, a, axis, dtype)
        return result + 0 if a.ndim else result  # torch's first summand: there is no -0

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        return backwards(grad_output, ctx.axis) if grad_output.shape else grad_output


class Cumprod(Function):
    """Π of an entry and all before it along an axis, r₀ = a₀, rᵢ = rᵢ₋₁ aᵢ. aᵢ gets Σ gⱼ rⱼ / aᵢ over all j ≥ i.
    Where there is a zero, the way back is that of the recursion: at rᵢ arrives gᵢ, and aᵢ₊₁ times what arrives at rᵢ₊₁.
    """

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, axis: int, dtype: np.dtype | None) -> np.ndarray:
        result = running(np.cumprod, a, axis, dtype)
        ctx.save_for_backward(a, result)
        ctx.axis = axis
        return result

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        a, result = ctx.saved_tensors
        if not a.shape or not array_ops.raw(a).size or a.shape[ctx.axis] == 1:
            return grad_output
        if not (array_ops.raw(a) == 0).any():
            return backwards(result * grad_output, ctx.axis) / a
        entries, products, grads = [each_slice(item, ctx.axis) for item in (a, result, grad_output)]
        arrived = grads[-1]
        shares = []
        for place in range(len(entries) - 1, 0, -1):
            shares.append(arrived * products[place - 1])
            arrived = grads[place - 1] + arrived * entries[place]
        shares.append(arrived)
        return array_ops.stack(shares[::-1], ctx.axis)


def backwards(values: Value, axis: int) -> Value:
    """The running sums along an axis, starting at its end."""
    result = array_ops.flip(array_ops.flip(values, axis).cumsum(axis), axis)
    return result if array_ops.is_tensor(values) else result + 0  # no -0, as in `Cumsum`


def running(function: Callable, a: np.ndarray, axis: int, dtype: np.dtype | None) -> np.ndarray:
    """numpy's cumsum or cumprod of an array, computed in float64 as in torch, or in int64."""
    if dtype is not None:
        a = a.astype(dtype)
    result = function(a, axis=axis, dtype=np.float64 if a.dtype.kind == "f" else np.int64).reshape(a.shape)
    return result.astype(dtype or (a.dtype if a.dtype.kind == "f" else np.int64), order="C")


@register("cumsum", in_place=True)
def cumsum(input: Tensor, dim: int, *, dtype: Dtype | None = None) -> Tensor:
    """The running sums along an axis; integers and bools in int64."""
    refuse_bools("cumsum_out_cpu", dtype)
    return Cumsum.apply(input, axis=dtypes.axis_of(input.ndim, dim), dtype=in_dtype(input, dtype))


@register("cumprod", in_place=True)
def cumprod(input: Tensor, dim: int, *, dtype: Dtype | None = None) -> Tensor:
    """The running products along an axis; integers and bools in int64."""
    refuse_bools("cumprod_out_cpu", dtype)
    return Cumprod.apply(input, axis=dtypes.axis_of(input.ndim, dim), dtype=in_dtype(input, dtype))
