"""A product of matrices added to something, in one node: what a linear layer is.

Mirrors https://docs.pytorch.org/docs/stable/generated/torch.addmm.html
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from minigrad.ops import linalg, shaping
from minigrad.ops.operands import Number, refuse_bools
from minigrad.ops.registry import define_all
from minigrad.runtime import array_ops
from minigrad.scalar import Function
from minigrad.tensor import Tensor


class Addmm(Function):
    """beta · c + alpha · A @ B: dL/dc = beta · G, dL/dA = alpha · G Bᵀ, dL/dB = alpha · Aᵀ G."""

    __slots__ = ("beta", "alpha")
    saves = ("mat1", "mat2")
    promotes = False
    product: Callable[[Any, Any], Any] = staticmethod(lambda a, b: array_ops.product(a, b))

    @staticmethod
    def forward(ctx: Any, c: Any, a: Any, b: Any, beta: Any, alpha: Any) -> Any:
        _, needs_a, needs_b = ctx.needs_input_grad
        if needs_a or needs_b:
            ctx.save_for_backward(a if needs_b else None, b if needs_a else None)
        ctx.beta, ctx.alpha = beta, alpha
        product = scaled(a @ b, alpha)
        return product if not beta else product + scaled(c, beta)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, b = ctx.saved_tensors or (None, None)
        needs_c, needs_a, needs_b = ctx.needs_input_grad
        return (
            scaled(grad_output, ctx.beta) if needs_c else None,
            scaled(ctx.product(grad_output, array_ops.swap(b)), ctx.alpha) if needs_a else None,
            scaled(ctx.product(array_ops.swap(a), grad_output), ctx.alpha) if needs_b else None,
        )


class Baddbmm(Addmm):
    """`Addmm` for stacks of matrices."""

    __slots__ = ()
    saves = ("batch1", "batch2")
    product = staticmethod(operator.matmul)


class Addmv(Addmm):
    """beta · c + alpha · A @ x: dL/dc = beta · g, dL/dA = alpha · g xᵀ, dL/dx = alpha · Aᵀ g."""

    __slots__ = ()
    saves = ("mat", "vec")

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a: Any
        x: Any
        a, x = ctx.saved_tensors or (None, None)
        needs_c, needs_a, needs_x = ctx.needs_input_grad
        return (
            scaled(grad_output, ctx.beta) if needs_c else None,
            scaled(grad_output[:, None] * x[None, :], ctx.alpha) if needs_a else None,
            scaled(array_ops.swap(a) @ grad_output, ctx.alpha) if needs_x else None,
        )


def scaled(value: Any, factor: Any) -> Any:
    """factor · value in the dtype of value; the value itself for 1."""
    if factor == 1:
        return value
    return value * factor if isinstance(value, Tensor) else (value * factor).astype(value.dtype)


def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """beta · input + alpha · mat1 @ mat2; `input` is broadcast to the product. With beta = 0 it is not looked at."""
    for word, each in [("mat1", mat1), ("mat2", mat2)]:
        if each.ndim != 2:
            raise RuntimeError(f"{word} must be a matrix, got {each.ndim}-D tensor")
    if input.dtype is not mat2.dtype:
        raise RuntimeError(
            f"self and mat2 must have the same dtype, but got {input.dtype.scalar_type} and {mat2.dtype.scalar_type}"
        )
    if mat1.dtype is not mat2.dtype:
        raise RuntimeError(
            f"mat1 and mat2 must have the same dtype, but got {mat1.dtype.scalar_type} and {mat2.dtype.scalar_type}"
        )
    linalg.demand_matrices(mat1, mat2)
    shaping.expand(Tensor._of(input._array), (mat1.shape[0], mat2.shape[1]))  # an error if it has no room
    refuse_bools("addmm_impl_cpu_", mat1.dtype)
    return Addmm.apply(input, mat1, mat2, beta=beta, alpha=alpha)


def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """beta · input + alpha · mat @ vec."""
    if mat.ndim != 2 or vec.ndim != 1 or input.ndim > 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got {input.ndim}, {mat.ndim}, {vec.ndim}")
    (n, k), (m,) = mat._array.shape, vec._array.shape
    if k != m or input.numel() not in (1, n):
        raise RuntimeError(f"size mismatch, got input ({input.numel()}), mat ({n}x{k}), vec ({m})")
    linalg.demand_vector_dtypes(input, mat, vec)
    refuse_bools("addmv_impl_cpu", mat.dtype)
    return Addmv.apply(input, mat, vec, beta=beta, alpha=alpha)


def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """beta · input + alpha · batch1 @ batch2 for stacks of matrices."""
    for word, each in [("batch1", batch1), ("batch2", batch2)]:
        if each.ndim != 3:
            raise RuntimeError(f"{word} must be a 3D tensor")
    a, b = batch1._array.shape, batch2._array.shape
    if (a[0], a[2]) != b[:2]:
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{a[0]}, {a[2]}] but got: "
            f"[{b[0]}, {b[1]}]."
        )
    shaping.expand(Tensor._of(input._array), (a[0], a[1], b[2]))  # an error if it has no room
    if not input.dtype is batch1.dtype is batch2.dtype:
        raise RuntimeError(
            "Input dtypes must be the same, got: input "
            f"{input.dtype.cpp_name}, batch1: {batch1.dtype.cpp_name}, batch2: {batch2.dtype.cpp_name}"
        )
    refuse_bools("bmm", batch1.dtype)
    return Baddbmm.apply(input, batch1, batch2, beta=beta, alpha=alpha)


_operation: Callable[..., Any]
define_all(globals(), "addmm addmv baddbmm", in_place=True)
