"""How far entries lie apart: variance and standard deviation.

Mirrors https://docs.pytorch.org/docs/stable/generated/torch.var.html
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.compat.messages import warn
from minigrad.ops.argument_parser import Ints
from minigrad.ops.axes import axes_of, counted, kept_shape
from minigrad.ops.operands import Number
from minigrad.ops.registry import define
from minigrad.runtime import array_ops
from minigrad.scalar import Function
from minigrad.tensor import Tensor


class Var(Function):
    """Σ (aᵢ - m)² / (n - c), with the mean m of n entries and the correction c: d/daᵢ = 2 (aᵢ - m) / (n - c)."""

    __slots__ = ("axes", "correction", "whole")

    @staticmethod
    def forward(ctx: Any, a: Any, axes: tuple[int, ...], keepdim: bool, correction: float, whole: bool) -> Any:
        ctx.save_for_backward(a)
        ctx.axes, ctx.correction, ctx.whole = axes, correction, whole
        return variance(a, axes, keepdim, correction)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        (a,) = ctx.saved_tensors
        return share_of_variance(ctx, a, grad_output)


class Std(Var):
    """The root s of the variance: d/daᵢ = (aᵢ - m) / (s (n - c)), and 0 where s = 0."""

    __slots__ = ()

    @staticmethod
    def forward(ctx: Any, a: Any, axes: tuple[int, ...], keepdim: bool, correction: float, whole: bool) -> Any:
        result = np.sqrt(variance(a, axes, keepdim, correction, np.float64)).astype(a.dtype)
        ctx.save_for_backward(a, result)
        ctx.axes, ctx.correction, ctx.whole = axes, correction, whole
        return result

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, result = ctx.saved_tensors
        return share_of_variance(ctx, a, array_ops.masked(grad_output / (result * 2), array_ops.raw(result) == 0))


class VarMean(Var):
    """The variance and the mean: `Var`, and d/daᵢ = 1/n for the mean."""

    __slots__ = ()
    spread = Var

    @staticmethod
    def forward(ctx: Any, a: Any, axes: tuple[int, ...], keepdim: bool, correction: float, whole: bool) -> Any:
        return ctx.spread.forward(ctx, a, axes, keepdim, correction, whole), mean_of(a, axes, keepdim)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return ctx.spread.backward(ctx, grads[0]) + share_of_mean(ctx, grads[1])


class StdMean(VarMean):
    """The standard deviation and the mean: `Std`, and d/daᵢ = 1/n for the mean."""

    __slots__ = ()
    spread = Std


def mean_of(a: Any, axes: tuple[int, ...], keepdim: bool) -> Any:
    """The mean of an array, taken in float64 as the variance is."""
    return (a.astype(np.float64).sum(axis=axes, keepdims=keepdim) / counted(a.shape, axes)).astype(a.dtype)


def share_of_mean(ctx: Any, grad_output: Any) -> Any:
    """The upstream gradient of a mean divided by the number of entries, for each entry."""
    a = ctx.saved_tensors[0]
    return grad_output.reshape(kept_shape(a.shape, ctx.axes)) / max(counted(a.shape, ctx.axes), 1)


def variance(
    a: Any, axes: tuple[int, ...], keepdim: bool, correction: float, dtype: np.dtype | type | None = None
) -> Any:
    """Σ (aᵢ - m)² / (n - correction) of an array, taken in float64 as torch does, in a's dtype or another."""
    wide = a.astype(np.float64)
    apart = wide - wide.sum(axis=axes, keepdims=True) / counted(a.shape, axes)
    total = (apart * apart).sum(axis=axes, keepdims=keepdim)
    return (total / max(counted(a.shape, axes) - correction, 0)).astype(dtype or a.dtype)


def share_of_variance(ctx: Any, a: Any, grad_output: Any) -> Any:
    """The upstream gradient of a variance times its derivative, for each entry."""
    grad_output = grad_output.reshape(kept_shape(a.shape, ctx.axes))
    count = counted(a.shape, ctx.axes)
    free = count - ctx.correction
    apart = a - a.sum(axis=ctx.axes, keepdims=True) / count
    if free <= 0 and ctx.whole:  # as in torch: inf · 0 at the mean, inf elsewhere
        slope = np.where(array_ops.raw(apart) == 0, np.nan, np.inf).astype(array_ops.raw(a).dtype)
        return grad_output * array_ops.like(slope, grad_output)
    return (2.0 / free if free else math.inf) * grad_output * apart


def _spread(name: str, node: type[Function]) -> Callable[..., Any]:
    """The function `var` or `std`, or one that gives the mean as well."""

    def spread(
        input: Tensor,
        dim: bool | int | Ints | None = None,
        unbiased: bool = True,
        keepdim: bool = False,
        *,
        correction: Number | None = None,
    ) -> Any:
        if not input.dtype.is_floating_point:
            subject = "std and var" if name in ("std", "var") else name
            raise RuntimeError(f"{subject} only support floating point and complex dtypes")
        if isinstance(dim, bool):  # var(False) is about the correction
            unbiased, dim = dim, None
        axes = axes_of(input, dim)
        correction = int(unbiased) if correction is None else correction
        if counted(input.shape, axes) <= correction or not input.numel():
            warn(
                f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor "
                "(input numel divided by output numel)."
            )
        return node.apply(input, axes=axes, keepdim=keepdim, correction=correction, whole=dim is None or not input.ndim)

    return spread


var = _spread("var", Var)
var.__doc__ = """The variance Σ (aᵢ - m)² / (n - correction) of all entries, or along the axes `dim`.

    The correction is 1, or 0 for `unbiased=False`. RuntimeError for integers; a UserWarning and nan or inf where there
    are not more entries than the correction."""
std = _spread("std", Std)
std.__doc__ = """The standard deviation: the root of the variance of all entries, or along the axes `dim`.

    See `var` for the argument_parser."""

std_mean = _spread("std_mean", StdMean)
std_mean.__doc__ = """The standard deviation and the mean, as `std` and `mean` give them."""
var_mean = _spread("var_mean", VarMean)
var_mean.__doc__ = """The variance and the mean, as `var` and `mean` give them."""

define("std_mean", std_mean, method=False)
define("var_mean", var_mean, method=False)
define("var", var)
define("std", std)
