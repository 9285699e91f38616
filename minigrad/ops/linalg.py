"""Products of vectors, matrices and stacks of matrices, including those added to something in one node (`addmm`).

Like torch, `matmul` chooses among the plain products by the number of axes, so the graph has torch's nodes.
Mirrors https://docs.pytorch.org/docs/stable/generated/torch.matmul.html
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad import scalar, upstream
from minigrad.compat import checks, dtypes
from minigrad.compat.typenames import refuse_foreign
from minigrad.compat.versions import changed
from minigrad.graph import array_ops
from minigrad.ops import permuting, shaping
from minigrad.ops.operands import Number, refuse_bools, variant
from minigrad.ops.registry import register
from minigrad.scalar import Function
from minigrad.tensor import Shares, Tensor, Value

_BOOL = np.dtype(bool)


@register("matmul")
def matmul(input: Tensor, other: Tensor) -> Tensor:
    """input @ other: Σₖ input[…, i, k] · other[…, k, j]; a vector counts as a row on the left, a column on the right,
    the axes before the last two form stacks of matrices. RuntimeError if sizes or dtypes do not fit.
    """
    if not isinstance(other, Tensor):
        refuse_foreign(other)
        return NotImplemented  # for the operator `@`
    x, y = input._array, other._array
    rows, columns = x.shape, y.shape
    a, b = len(rows), len(columns)
    if a == 2 and b == 2 and rows[1] == columns[0] and (dtype := x.dtype) is y.dtype and dtype is not _BOOL:
        return upstream.Mm.apply(input, other)  # no check needed
    if not a or not b:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {a}D and {b}D")
    if a <= 2 and b <= 2:
        if b == 1:
            return dot(input, other) if a == 1 else mv(input, other)
        if a == 2:
            return mm(input, other)
        return shaping.SqueezeInPlace.apply(mm(shaping.unsqueeze(input, 0), other), 0)
    return _folded(input, other) if folds(input, other) else _stacked(input, other)


def folds(input: Tensor, other: Tensor) -> bool:
    """Whether a stack of matrices times one matrix or vector is computed as a single tall matrix times that."""
    stack, single = (input, other) if input.ndim >= other.ndim else (other, input)
    if stack.ndim < 3 or single.ndim > 2:
        return False
    if single.requires_grad:  # then the gradient of `single` is computed in one product
        return True
    if input.ndim == 2:  # otherwise the result would need a copy
        return False
    array = stack._array if stack is input else stack._array.swapaxes(-1, -2)
    axes = list(zip(array.shape, array.strides, strict=True))[:-1]
    if changed("matmul_folds_size_one"):
        axes = [(size, stride) for size, stride in axes if size != 1]
    return not array.size or all(stride == size * inner for (_, stride), (size, inner) in itertools.pairwise(axes))


def _folded(input: Tensor, other: Tensor) -> Tensor:
    """The product by one tall matrix. A stack on the right is transposed first: (AB)ᵀ = BᵀAᵀ."""
    turned = other.ndim > input.ndim
    stack = permuting.matrix_transposed(other) if turned else input
    single = other if not turned else permuting.t(input) if input.ndim == 2 else input
    shape = stack._array.shape[:-1]
    tall = shaping.reshape(stack, (math.prod(shape), stack._array.shape[-1]))
    if single.ndim == 1:
        return shaping.UnsafeView.apply(mv(tall, single), shape=shape)
    result = shaping.UnsafeView.apply(mm(tall, single), shape=(*shape, single._array.shape[1]))
    return shaping.contiguous(permuting.matrix_transposed(result)) if turned else result


def _stacked(input: Tensor, other: Tensor) -> Tensor:
    """The product of two stacks, both expanded to the same number of matrices."""
    a, b = input._array.shape, other._array.shape
    if len(a) == len(b) == 3 and a[0] != b[0]:
        if a[0] == 1 and input.requires_grad:
            return matmul(shaping.squeeze(input, 0), other)
        if b[0] == 1 and other.requires_grad:
            return matmul(input, shaping.squeeze(other, 0))
    batch = shaping.met(a[:-2], b[:-2])
    count, rows = math.prod(batch), a[-2:] if len(a) > 1 else (1, a[0])
    left = shaping.reshape(shaping.expand(input, (*batch, *rows)), (count, *rows))
    right = shaping.reshape(shaping.expand(other, (*batch, *b[-2:])), (count, *b[-2:]))
    if len(b) == 1:
        column = bmm(left, shaping.unsqueeze(right, 2))
        return shaping.UnsafeView.apply(shaping.squeeze(column, -1), shape=(*batch, *a[-2:-1]))
    return shaping.UnsafeView.apply(bmm(left, right), shape=(*batch, *a[-2:-1], b[-1]))


class Bmm(upstream.Dot):
    """A stack of products A (n×k) @ B (k×m): dL/dA = G Bᵀ, dL/dB = Aᵀ G for each upstream gradient G (n×m)."""

    saves = ("self", "mat2")

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        a, b = ctx.saved_tensors
        needs_a, needs_b = ctx.needs_input_grad
        times: Callable = bmm if isinstance(grad_output, Tensor) else operator.matmul
        grad_b = times(array_ops.swap(a), grad_output) if needs_b else None
        return times(grad_output, array_ops.swap(b)) if needs_a else None, grad_b


@register("mm")
def mm(input: Tensor, mat2: Tensor) -> Tensor:
    """The product of two matrices. RuntimeError for other tensors, and if sizes or dtypes do not fit."""
    for word, each in [("self", input), ("mat2", mat2)]:
        if each.ndim != 2:
            named = changed("products_say_their_name")
            got = f"mm: {word} must be a matrix, got {each.ndim}-D tensor" if named else f"{word} must be a matrix"
            raise RuntimeError(got)
    demand_matrices("mm", input, mat2)
    demand_one_dtype("addmm_impl_cpu_", input, mat2)
    return upstream.Mm.apply(input, mat2)


@register("mv")
def mv(input: Tensor, vec: Tensor) -> Tensor:
    """The product of a matrix and a vector. RuntimeError as for `mm`."""
    if input.ndim != 2 or vec.ndim != 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got 1, {input.ndim}, {vec.ndim}")
    (n, k), (m,) = input._array.shape, vec._array.shape
    if k != m:
        raise RuntimeError(f"size mismatch, got input ({n}), mat ({n}x{k}), vec ({m})")
    demand_one_dtype("addmv_impl_cpu", input, vec)
    return upstream.Mv.apply(input, vec)


Vdot = variant("Vdot", upstream.Dot)


@register("dot")
def dot(input: Tensor, tensor: Tensor) -> Tensor:
    """Σ aᵢbᵢ of two vectors. RuntimeError for other tensors, and if sizes or dtypes differ."""
    _demand_vectors(input, tensor)
    return upstream.Dot.apply(input, tensor)


def _demand_vectors(input: Tensor, tensor: Tensor) -> None:
    if input.ndim != 1 or tensor.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {input.ndim}D and {tensor.ndim}D tensors")
    if input.dtype is not tensor.dtype:
        results = f"{input.dtype.scalar_type} and {tensor.dtype.scalar_type}"
        raise RuntimeError(f"dot : expected both vectors to have same dtype, but found {results}")
    n, m = input.numel(), tensor.numel()
    if n != m:
        expected = f"expected tensor [{n}] and src [{m}] to have the same number of elements"
        raise RuntimeError(f"inconsistent tensor size, {expected}, but got {n} and {m} elements respectively")
    refuse_bools("dot", input.dtype)


@register("vdot")
def vdot(input: Tensor, other: Tensor) -> Tensor:
    """Σ aᵢbᵢ of two vectors, as `dot`."""
    _demand_vectors(input, other)
    return Vdot.apply(input, other)


@register("bmm")
def bmm(input: Tensor, mat2: Tensor) -> Tensor:
    """The products of two stacks of the same number of matrices. RuntimeError for other tensors or sizes."""
    demand_stacks(input, mat2)
    demand_one_dtype("bmm", input, mat2)
    return Bmm.apply(input, mat2)


@register("outer", alias="ger")
def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """input[i] · vec2[j] of two vectors. RuntimeError for other tensors."""
    for word, each in [("self", input), ("vec2", vec2)]:
        if each.ndim != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {word}, but got {each.ndim}-D")
    return scalar.Mul.apply(shaping.reshape(input, (input.numel(), 1)), vec2)


def demand_matrices(name: str, a: Tensor, b: Tensor) -> None:
    """RuntimeError, in torch's words, unless a has as many columns as b has rows."""
    (n, k), (m, p) = a._array.shape, b._array.shape
    if k != m:
        speaker = f"{name}: " if changed("products_say_their_name") else ""
        raise RuntimeError(f"{speaker}mat1 and mat2 shapes cannot be multiplied ({n}x{k} and {m}x{p})")


def demand_one_dtype(kernel: str, *tensors: Tensor) -> None:
    """RuntimeError, in torch's words, for two dtypes; NotImplementedError for bools, if there is a kernel."""
    for tensor in tensors[1:]:
        if tensor.dtype is not tensors[0].dtype:
            got = f"{tensors[0].dtype.cpp_name} != {tensor.dtype.cpp_name}"
            raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {got}")
    if kernel:
        refuse_bools(kernel, tensors[0].dtype)


def demand_stacks(a: Tensor, b: Tensor) -> None:
    """RuntimeError, in torch's words, unless a and b are stacks of equally many matrices that can be multiplied."""
    for word, each in [("batch1", a), ("batch2", b)]:
        if each.ndim != 3:
            raise RuntimeError(f"{word} must be a 3D tensor")
    (count, _, k), have = a._array.shape, b._array.shape
    if (count, k) != have[:2]:
        expected = f"Expected size for first two dimensions of batch2 tensor to be: [{count}, {k}]"
        raise RuntimeError(f"{expected} but got: [{have[0]}, {have[1]}].")


class Trace(Function):
    """Σ aᵢᵢ: the entries of the diagonal get the upstream gradient, all others 0."""

    @staticmethod
    def forward(ctx: Function, a: np.ndarray) -> np.ndarray:
        ctx.input_shape = a.shape
        return np.trace(a, dtype=None if a.dtype.kind == "f" else np.int64)

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        return array_ops.where(np.eye(*ctx.input_shape, dtype=bool), grad_output, 0)  # a product would give -0


@register("trace")
def trace(input: Tensor) -> Tensor:
    """The sum of the diagonal of a matrix. RuntimeError for another tensor."""
    if input.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {input.ndim}")
    refuse_bools("trace", input.dtype)
    return Trace.apply(input)


class Cross(Function, name="LinalgCrossBackward0"):
    """The cross product of vectors of 3: dL/da = b × g, dL/db = g × a for the upstream gradient g."""

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, b: np.ndarray, axis: int) -> np.ndarray:
        needs_a, needs_b = ctx.needs_input_grad
        ctx.save_for_backward(a if needs_b else None, b if needs_a else None)
        ctx.axis = axis
        return np.cross(a, b, axis=axis)

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        a, b = ctx.saved_tensors
        needs_a, needs_b = ctx.needs_input_grad
        times = Cross.apply if isinstance(grad_output, Tensor) else np.cross
        grad_b = times(grad_output, a, axis=ctx.axis) if needs_b else None
        return times(b, grad_output, axis=ctx.axis) if needs_a else None, grad_b


@register("cross")
def cross(input: Tensor, other: Tensor, dim: int | None = None) -> Tensor:
    """The cross product of vectors of 3 along an axis; without `dim` the first of size 3."""
    if input.ndim != other.ndim:
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    if dim is None:
        shape = shaping.met(input._array.shape, other._array.shape)
        axis = shape.index(3) if 3 in shape else 0
    else:
        axis = dtypes.axis_of(input.ndim, dim)
    sizes = [item._array.shape[axis] if item.ndim else 1 for item in (input, other)]
    if sizes != [3, 3]:
        raise RuntimeError(f"linalg.cross: inputs dimension {axis} must have length 3. Got {sizes[0]} and {sizes[1]}")
    checks.demand_broadcast([input._array, other._array])
    demand_one_dtype("", input, other)
    return Cross.apply(input, other, axis=axis)


class Addmm(Function):
    """beta · c + alpha · A @ B: dL/dc = beta · G, dL/dA = alpha · G Bᵀ, dL/dB = alpha · Aᵀ G."""

    saves = ("mat1", "mat2")
    promotes = False
    product: Callable[[Value, Value], Value] = staticmethod(lambda a, b: array_ops.product(a, b))

    @staticmethod
    def forward(ctx: Function, c: np.ndarray, a: np.ndarray, b: np.ndarray, beta: float, alpha: float) -> Value:
        _, needs_a, needs_b = ctx.needs_input_grad
        if needs_a or needs_b:
            ctx.save_for_backward(a if needs_b else None, b if needs_a else None)
        ctx.beta, ctx.alpha, ctx.by_columns = beta, alpha, not b.flags.c_contiguous and b.flags.f_contiguous
        product = by_factor(a @ b, alpha)
        if beta:
            product += by_factor(c, beta)
        return product

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        a, b = ctx.saved_tensors or (None, None)
        needs_c, needs_a, needs_b = ctx.needs_input_grad
        return (
            by_factor(grad_output, ctx.beta) if needs_c else None,
            by_factor(ctx.product(grad_output, array_ops.swap(b)), ctx.alpha) if needs_a else None,
            by_factor(ctx.share_of_second(a, grad_output), ctx.alpha) if needs_b else None,
        )

    def share_of_second(self, a: Value, grad_output: Value) -> Value:
        """Aᵀ G; in the layout of B, as in torch: the transpose of a layer's weight gives the weight's own."""
        if self.by_columns and not array_ops.is_tensor(a, grad_output):
            return array_ops.swap(self.product(array_ops.swap(grad_output), a))
        return self.product(array_ops.swap(a), grad_output)


class Baddbmm(Addmm):
    """`Addmm` for stacks of matrices."""

    saves = ("batch1", "batch2")
    product = staticmethod(operator.matmul)


def by_factor(value: Any, factor: float) -> Any:
    """factor · value in the dtype of value; the value itself for 1."""
    if factor == 1:
        return value
    return value * factor if isinstance(value, Tensor) else (value * factor).astype(value.dtype)


@register("addmm", in_place=True)
def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """beta · input + alpha · mat1 @ mat2; `input` is broadcast to the product. With beta = 0 it is ignored."""
    for word, each in [("mat1", mat1), ("mat2", mat2)]:
        if each.ndim != 2:
            speaker = "addmm: " if changed("products_say_their_name") else ""
            raise RuntimeError(f"{speaker}{word} must be a matrix, got {each.ndim}-D tensor")
    for word, each in [("self", input), ("mat1", mat1)]:
        if each.dtype is not mat2.dtype:
            got = f"{each.dtype.scalar_type} and {mat2.dtype.scalar_type}"
            raise RuntimeError(f"{word} and mat2 must have the same dtype, but got {got}")
    demand_matrices("addmm", mat1, mat2)
    shaping.shape_expanded(input, (mat1._array.shape[0], mat2._array.shape[1]))  # raises an error if it does not fit
    refuse_bools("addmm_impl_cpu_", mat1.dtype)
    return Addmm.apply(input, mat1, mat2, beta=beta, alpha=alpha)


@register("addmv", in_place=True)
def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """beta · input + alpha · mat @ vec, with a node for each step. With beta = 0 `input` is ignored."""
    product = by_factor(mv(mat, vec), alpha)
    return product if not beta else scalar.Add.apply(by_factor(input, beta), product)


@register("baddbmm", in_place=True)
def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """beta · input + alpha · batch1 @ batch2 for stacks of matrices."""
    demand_stacks(batch1, batch2)
    a, b = batch1._array.shape, batch2._array.shape
    shaping.expand(Tensor._of(input._array), (a[0], a[1], b[2]))  # raises an error if it does not fit
    demand_one_dtype("bmm", input, batch1, batch2)
    return Baddbmm.apply(input, batch1, batch2, beta=beta, alpha=alpha)
