"""The combined size of entries, and their spread: norms, variance and standard deviation.
Mirrors https://docs.pytorch.org/docs/stable/generated/torch.linalg.vector_norm.html
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.arithmetic import summing
from minigrad.arithmetic.blocks import BLOCK, MANY, in_blocks
from minigrad.compat import dtypes
from minigrad.compat.messages import warn
from minigrad.compat.versions import refusal
from minigrad.graph import array_ops
from minigrad.ops.argument_parser import Axes
from minigrad.ops.operands import Number, axes_of, counted, kept_shape, shape_left, variant
from minigrad.ops.registry import register
from minigrad.scalar import Function
from minigrad.tensor import Shares, Tensor, Value


class Norm(Function, name="LinalgVectorNormBackward0"):
    """(Σ |aᵢ|ᵖ)^(1/p) =: N along some axes, max |aᵢ| for p = inf: d/daᵢ = sign aᵢ · |aᵢ|^(p-1) / N^(p-1). That is aᵢ/N
    for p = 2. It is 0 where N = 0; ties of p = inf share the gradient.
    """

    @staticmethod
    def forward(
        ctx: Function, a: np.ndarray, p: float, axes: tuple[int, ...], keepdim: bool, dtype: np.dtype | None
    ) -> np.ndarray:
        result = norm_of(a if dtype is None else a.astype(dtype), p, axes, keepdim)
        ctx.save_for_backward(a, result)
        ctx.p, ctx.axes = p, axes
        return result

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        a, result = ctx.saved_tensors
        kept = kept_shape(a.shape, ctx.axes)
        g, norm, p = grad_output.reshape(kept), result.reshape(kept), ctx.p
        nothing = array_ops.raw(norm) == 0
        if p == 0:
            return None
        if p == 1:
            return g * array_ops.sign(a)
        if p == 2:
            return g * array_ops.masked(a / norm, nothing)
        if math.isinf(p):
            size = abs(array_ops.raw(a))
            chosen = (size == array_ops.raw(norm)) | np.isnan(size)
            share = (chosen / chosen.sum(axis=ctx.axes, keepdims=True)).astype(size.dtype)
            return array_ops.sign(a) * (g * array_ops.like(share, g))
        scaled = a * abs(a) ** (p - 2) if p > 2 else array_ops.sign(a) * abs(a) ** (p - 1)
        scaled = array_ops.masked(scaled, array_ops.raw(a) == 0) if p < 1 else scaled  # not inf
        return scaled * array_ops.masked(g / norm ** (p - 1), nothing)


class AddNumber(Function, name="AddBackward1"):
    """a + s for a number s, as torch has it in a distance of rows: d/da = 1."""

    forward = staticmethod(lambda ctx, a, s: a + s)
    backward = staticmethod(lambda ctx, grad_output: (grad_output, None))


NormOfRows = variant("NormOfRows", Norm, "NormBackward1")


def norm_of(a: np.ndarray, p: float, axes: tuple[int, ...], keepdim: bool) -> np.ndarray:
    """The norm of an array; of float16, whose squares soon are too large, taken in float32."""
    if a.dtype == np.float16:
        return dtypes.cast(norm_of(a.astype(np.float32), p, axes, keepdim), a.dtype)
    reduced: dict[str, Any] = {"axis": axes, "keepdims": keepdim}
    size = abs(a)
    if p == 1 or (p and counted(a.shape, axes) == 1):
        return size.sum(**reduced)  # exact even if a² would be too large or too small
    if p == 2:
        return np.sqrt((a * a).sum(**reduced))
    if p == 0:
        return (size != 0).sum(**reduced, dtype=a.dtype)
    if math.isinf(p):
        return size.max(**reduced) if p > 0 else size.min(**reduced)
    return (size**p).sum(**reduced) ** (1 / p)


@register("norm")
def norm(
    input: Tensor,
    p: float | str | None = "fro",
    dim: Axes | None = None,
    keepdim: bool = False,
    *,
    dtype: dtypes.dtype | None = None,
) -> Tensor:
    """(Σ |aᵢ|ᵖ)^(1/p) of all entries or along the axes `dim`; √Σ aᵢ² for "fro", max |aᵢ| for inf."""
    if isinstance(p, str) and p != "fro":
        raise NotImplementedError(f"minigrad has no matrix norm of order {p}")
    return vector_norm(input, 2 if p in (None, "fro") else p, dim, keepdim, dtype=dtype)


def vector_norm(
    input: Tensor,
    ord: float | str | None = 2,
    dim: Axes | None = None,
    keepdim: bool = False,
    *,
    dtype: dtypes.dtype | None = None,
) -> Tensor:
    """`torch.linalg.vector_norm`: (Σ |aᵢ|^ord)^(1/ord) over all entries, or along the axes `dim`."""
    if not input.dtype.is_floating_point:
        expected = "Expected a floating point or complex tensor as input"
        raise refusal("dtypes_not_implemented")(f"linalg.vector_norm: {expected}. Got {input.dtype.scalar_type}")
    return Norm.apply(input, p=ord, axes=axes_of(input, dim), keepdim=keepdim, dtype=dtype and dtype.numpy)


def linalg_norm(
    input: Tensor,
    ord: float | str | None = None,
    dim: Axes | None = None,
    keepdim: bool = False,
    *,
    dtype: dtypes.dtype | None = None,
) -> Tensor:
    """`torch.linalg.norm`: √Σ aᵢ² along the axes `dim`, or another norm of vectors. NotImplementedError for others."""
    axes = (dim,) if isinstance(dim, int) else dim
    if ord not in (None, "fro") and (isinstance(ord, str) or len(axes or input.shape) > 1):
        raise NotImplementedError(f"minigrad has no matrix norm of order {ord}")
    return vector_norm(input, 2 if ord in (None, "fro") else ord, axes, keepdim, dtype=dtype)


class Var(Function):
    """Σ (aᵢ - m)² / (n - c), with the mean m of n entries and the correction c: d/daᵢ = 2 (aᵢ - m) / (n - c)."""

    root = False

    @staticmethod
    def forward(
        ctx: Function, a: np.ndarray, axes: tuple[int, ...], keepdim: bool, correction: float, whole: bool
    ) -> np.ndarray:
        ctx.axes, ctx.correction, ctx.whole, result = axes, correction, whole, variance(a, axes, keepdim, correction)
        result = (np.sqrt(result) if ctx.root else result).astype(a.dtype)
        ctx.save_for_backward(a, *[result] * ctx.root)
        return result

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        return share_of_variance(ctx, grad_output, *ctx.saved_tensors)


class Std(Var):
    """The root s of the variance: d/daᵢ = (aᵢ - m) / (s (n - c)), and 0 where s = 0."""

    root = True

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        a, result = ctx.saved_tensors
        return share_of_variance(ctx, array_ops.masked(grad_output / (result * 2), array_ops.raw(result) == 0), a)


def share_of_variance(ctx: Function, grad_output: Value, a: Value) -> Value:
    """The upstream gradient of a variance times its derivative, for each entry."""
    count = counted(a.shape, ctx.axes)
    free = count - ctx.correction
    mean = a.sum(axis=ctx.axes, keepdims=True) / count
    kept = grad_output.reshape(kept_shape(a.shape, ctx.axes))
    if free <= 0 and ctx.whole:  # as in torch: nan at the mean, inf elsewhere
        entries = array_ops.raw(a - mean)
        return kept * array_ops.like(np.where(entries == 0, np.nan, np.inf).astype(entries.dtype), grad_output)
    factor = array_ops.in_float32(lambda g: (2.0 / free if free else math.inf) * g)(kept)
    if not isinstance(a, Tensor) and not isinstance(factor, Tensor) and a.size >= MANY and factor.size == 1:
        return in_blocks(lambda a, factor, mean: factor * (a - mean), a, factor.reshape(()), mean.reshape(()))
    return factor * (a - mean)


def variance(a: np.ndarray, axes: tuple[int, ...], keepdim: bool, correction: float) -> np.ndarray:
    """Σ (aᵢ - m)² / (n - correction) of an array, computed in float64 as in torch, and returned in it."""
    count = counted(a.shape, axes)
    if count == a.size >= MANY and a.dtype != np.float64 and a.flags.c_contiguous:
        blocks = [a.reshape(-1)[start : start + BLOCK] for start in range(0, count, BLOCK)]
        mean = sum([block.sum(dtype=np.float64) for block in blocks]) / count
        squares = sum([apart.dot(apart) for apart in (block - mean for block in blocks)])
        return np.reshape(
            squares / np.float64(max(count - correction, 0)), kept_shape(a.shape, axes) if keepdim else ()
        )[()]
    wide = a.astype(np.float64)
    apart = wide - wide.sum(axis=axes, keepdims=True) / count
    return (apart * apart).sum(axis=axes, keepdims=keepdim) / np.float64(max(count - correction, 0))


class VarMean(Var):
    """The variance and the mean, in one node."""

    @staticmethod
    def forward(
        ctx: Function, a: np.ndarray, axes: tuple[int, ...], keepdim: bool, correction: float, whole: bool
    ) -> Any:
        result = Var.forward(ctx, a, axes, keepdim, correction, whole)  # the deviation, where the node has a root
        return result, summing.along(a, axes, shape_left(a.shape, axes, keepdim), None) / counted(a.shape, axes)

    @staticmethod
    def backward(ctx: Function, *grads: Value) -> Shares:
        spread: Any = (Std if ctx.root else Var).backward(ctx, grads[0])
        a, count = ctx.saved_tensors[0], max(counted(ctx.saved_tensors[0].shape, ctx.axes), 1)
        return spread + array_ops.expand(grads[1].reshape(kept_shape(a.shape, ctx.axes)), a.shape) / count


class StdMean(VarMean):
    """The standard deviation and the mean, in one node."""

    root = True


def _spread(name: str, node: type[Function], text: str) -> Callable:
    def spread(
        input: Tensor,
        dim: bool | Axes | None = None,
        unbiased: bool = True,
        keepdim: bool = False,
        *,
        correction: Number | None = None,
    ) -> Tensor | tuple[Tensor, Tensor]:
        with_mean = name.endswith("_mean")
        if not input.dtype.is_floating_point:
            asked = name if with_mean else "std and var"
            raise refusal("dtypes_not_implemented")(f"{asked} only support floating point and complex dtypes")
        if isinstance(dim, bool):  # var(False) means the correction
            unbiased, dim = dim, None
        axes = axes_of(input, dim)
        correction = int(unbiased) if correction is None else correction
        if counted(input.shape, axes) <= correction or not input.numel():
            less = "Correction should be strictly less than the reduction factor"
            warn(f"{name}(): degrees of freedom is <= 0. {less} (input numel divided by output numel).")
        whole = dim is None or not input.ndim
        return node.apply(input, axes=axes, keepdim=keepdim, correction=correction, whole=whole)

    spread.__doc__ = f"""{text} of all entries, or along the axes `dim`.

    The correction c of the variance Σ (aᵢ - m)² / (n - c) is 1, or 0 for `unbiased=False`. RuntimeError for integers; a
    UserWarning and nan or inf if there are not more entries than that."""
    return spread


var = register("var", _spread("var", Var, "The variance"))
std = register("std", _spread("std", Std, "The standard deviation, the root of the variance,"))
register("var_mean", _spread("var_mean", VarMean, "The variance and the mean"), method=False)
register("std_mean", _spread("std_mean", StdMean, "The standard deviation and the mean"), method=False)
