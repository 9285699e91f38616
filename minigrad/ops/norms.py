"""How large many entries are together: norms.

Mirrors https://docs.pytorch.org/docs/stable/generated/torch.linalg.vector_norm.html
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad.compat import dtypes, messages
from minigrad.ops import functions, linalg, ordering
from minigrad.ops.argument_parser import Ints
from minigrad.ops.axes import axes_of, counted, kept_shape
from minigrad.ops.registry import define, taking
from minigrad.runtime import array_ops
from minigrad.scalar import Function
from minigrad.tensor import Tensor


class Norm(Function, name="LinalgVectorNormBackward0"):
    """(Σ |aᵢ|ᵖ)^(1/p) =: N along some axes, max |aᵢ| for p = inf: d/daᵢ = sign aᵢ · |aᵢ|^(p-1) / N^(p-1). That is aᵢ/N
    for p = 2. It is 0 where N = 0; ties of p = inf share the gradient.
    """

    __slots__ = ("p", "axes")

    @staticmethod
    def forward(ctx: Any, a: Any, p: float, axes: tuple[int, ...], keepdim: bool, dtype: np.dtype | None) -> Any:
        result = norm_of(a if dtype is None else a.astype(dtype), p, axes, keepdim)
        ctx.save_for_backward(a, result)
        ctx.p, ctx.axes = p, axes
        return result

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
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
        if p < 1:
            steep = array_ops.masked(abs(a) ** (p - 1), array_ops.raw(a) == 0)
            return array_ops.sign(a) * steep * g * norm ** (1 - p)
        scaled = array_ops.sign(a) * abs(a) ** (p - 1) if p < 2 else a * abs(a) ** (p - 2)
        return scaled * array_ops.masked(g / norm ** (p - 1), nothing)


def norm_of(a: Any, p: float, axes: tuple[int, ...], keepdim: bool) -> Any:
    """The norm of an array."""
    reduced: dict[str, Any] = {"axis": axes, "keepdims": keepdim}
    size = abs(a)
    if p and counted(a.shape, axes) == 1:
        return size.sum(**reduced)  # exact, where a² would be too large or too small
    if p == 2:
        return np.sqrt((a * a).sum(**reduced))
    if p == 0:
        return (size != 0).sum(**reduced, dtype=a.dtype)
    if p == 1:
        return size.sum(**reduced)
    if math.isinf(p):
        return size.max(**reduced) if p > 0 else size.min(**reduced)
    return (size**p).sum(**reduced) ** (1 / p)


def norm(
    input: Tensor,
    p: Any = "fro",
    dim: int | Ints | None = None,
    keepdim: bool = False,
    dtype: dtypes.dtype | None = None,
) -> Tensor:
    """(Σ |aᵢ|ᵖ)^(1/p) over all entries, or along the axes `dim`: √Σ aᵢ² if p is 2, "fro" or None, max |aᵢ| if it is
    inf. RuntimeError for integers; NotImplementedError for the nuclear norm.
    """
    if p == "nuc":
        raise NotImplementedError("minigrad has no nuclear norm")
    if isinstance(p, str) and p != "fro":
        raise RuntimeError(f"linalg.matrix_norm: Order {p} not supported.")
    return vector_norm(input, 2 if p in (None, "fro") else p, dim, keepdim, dtype=dtype)


def norm_function(
    input: Any,
    p: Any = "fro",
    dim: int | Ints | None = None,
    keepdim: bool = False,
    out: Any = None,
    dtype: dtypes.dtype | None = None,
) -> Tensor:
    """`torch.norm`: what the method does, with another order of its argument_parser. NotImplementedError for `out`."""
    if out is not None:
        raise NotImplementedError(messages.NO_OUT.format("norm"))
    return input.norm(p, dim, keepdim, dtype)


def vector_norm(
    input: Tensor,
    ord: Any = 2,
    dim: int | Ints | None = None,
    keepdim: bool = False,
    *,
    dtype: dtypes.dtype | None = None,
) -> Tensor:
    """`torch.linalg.vector_norm`: (Σ |aᵢ|^ord)^(1/ord) over all entries, or along the axes `dim`."""
    if not input.dtype.is_floating_point:
        raise RuntimeError(
            f"linalg.vector_norm: Expected a floating point or complex tensor as input. Got {input.dtype.scalar_type}"
        )
    axes = axes_of(input, dim)
    if not counted(input.shape, axes) and (ord < 0 or math.isinf(ord)):
        named = () if dim is None else dim if isinstance(dim, (tuple, list)) else (dim,)
        empty = [f"the dimension {each}because this dimension is empty and" for each in named if not input.shape[each]]
        where = empty[0] if empty else "an empty tensor because"  # torch's blank is missing in the other one
        raise RuntimeError(
            f"linalg.vector_norm cannot compute the {ord} norm on {where} the operation does not have an identity"
        )
    return Norm.apply(input, p=ord, axes=axes, keepdim=keepdim, dtype=None if dtype is None else dtype.numpy)


def matrix_norm(
    input: Tensor,
    ord: Any = "fro",
    dim: Ints = (-2, -1),
    keepdim: bool = False,
    *,
    dtype: dtypes.dtype | None = None,
) -> Tensor:
    """`torch.linalg.matrix_norm`: √Σ aᵢⱼ² for "fro"; the largest column sum of |aᵢⱼ| for 1, row sum for inf, the
    smallest for -1 and -inf. NotImplementedError for the norms that need singular values.
    """
    if input.ndim < 2:
        raise RuntimeError("linalg.matrix_norm: The input tensor A must have at least 2 dimensions.")
    if len(dim) != 2:
        raise RuntimeError(f"linalg.matrix_norm: dim must be a 2-tuple. Got {' '.join(map(str, dim))}")
    if ord == "fro":
        return vector_norm(input, 2, dim, keepdim, dtype=dtype)
    if ord in (2, -2, "nuc"):
        raise NotImplementedError(f"minigrad has no matrix norm of order {ord}: it needs singular values")
    if isinstance(ord, str) or abs(ord) not in (1, math.inf):
        raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported.")
    rows, columns = [dtypes.axis_of(input.ndim, each) for each in dim]
    summed, compared = (rows, columns) if abs(ord) == 1 else (columns, rows)
    if not keepdim and compared > summed:
        compared -= 1  # the axis has moved up
    sums = vector_norm(input, 1, summed, keepdim, dtype=dtype)
    return (ordering.amax if ord > 0 else ordering.amin)(sums, compared, keepdim)


def linalg_norm(
    input: Tensor,
    ord: Any = None,
    dim: int | Ints | None = None,
    keepdim: bool = False,
    *,
    dtype: dtypes.dtype | None = None,
) -> Tensor:
    """`torch.linalg.norm`: √Σ aᵢ² over all entries; with `ord` a norm of vectors or, along two axes, of matrices."""
    axes = (dim,) if isinstance(dim, int) else dim
    if ord is None:
        return vector_norm(input, 2, axes, keepdim, dtype=dtype)
    if axes is None and input.ndim not in (1, 2):
        raise RuntimeError(
            f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {input.ndim}D."
        )
    if isinstance(ord, str) or len(axes or input.shape) == 2:
        return matrix_norm(input, ord, axes or (-2, -1), keepdim, dtype=dtype)
    return vector_norm(input, ord, axes, keepdim, dtype=dtype)


define("norm", norm, function=False)
norm_function.__name__ = norm_function.__qualname__ = "norm"
functions["norm"] = norm_function


class Linalg:
    """`torch.linalg`: the few of its functions that minigrad has."""

    matmul = staticmethod(taking("linalg_matmul", linalg.matmul))
    norm = staticmethod(taking("linalg_norm", linalg_norm))
    vector_norm = staticmethod(taking("linalg_vector_norm", vector_norm))
    matrix_norm = staticmethod(taking("linalg_matrix_norm", matrix_norm))

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"minigrad has no 'linalg.{name}' (torch may have it)")


functions["linalg"] = Linalg()  # type: ignore[assignment]
