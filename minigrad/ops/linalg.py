"""Products of vectors, matrices and stacks of matrices.

`matmul` chooses among the plain products by the number of axes, as torch does; so the graph has torch's nodes.

Mirrors https://docs.pytorch.org/docs/stable/generated/torch.matmul.html and
https://docs.pytorch.org/docs/stable/torch.html#blas-and-lapack-operations
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad import scalar, upstream
from minigrad.compat import checks, dtypes
from minigrad.compat.messages import warn_once
from minigrad.ops import permuting, shaping
from minigrad.ops.operands import refuse_bools
from minigrad.ops.registry import define_all
from minigrad.runtime import array_ops
from minigrad.scalar import Function
from minigrad.tensor import Tensor

_BOOL = np.dtype(bool)


def matmul(input: Tensor, other: Tensor) -> Tensor:
    """input @ other: Σₖ input[…, i, k] · other[…, k, j]; a vector counts as a row on the left, a column on the right.
    The axes before the last two are stacks of matrices, and are broadcast. RuntimeError, in torch's words, where sizes
    or dtypes do not meet.
    """
    x, y = input._array, other._array
    rows, columns = x.shape, y.shape
    a, b = len(rows), len(columns)
    if a == 2 and b == 2 and rows[1] == columns[0] and (dtype := x.dtype) is y.dtype and dtype is not _BOOL:
        return upstream.Mm.apply(input, other)  # nothing to refuse
    if not a or not b:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {a}D and {b}D")
    if a <= 2 and b <= 2:
        if b == 1:
            return dot(input, other) if a == 1 else mv(input, other)
        if a == 2:
            return mm(input, other)
        return permuting.squeeze_(mm(shaping.unsqueeze(input, 0), other), 0)
    if folds(input, other):
        return _folded(input, other)
    return _stacked(input, other)


def folds(input: Tensor, other: Tensor) -> bool:
    """Whether a stack of matrices times one matrix or vector is computed as a single tall matrix times that."""
    stack, single = (input, other) if input.ndim >= other.ndim else (other, input)
    if stack.ndim < 3 or single.ndim > 2:
        return False
    if single.requires_grad:  # then the gradient of `single` comes out in one piece
        return True
    if input.ndim == 2:  # the result would have to be copied
        return False
    array = stack._array if stack is input else stack._array.swapaxes(-1, -2)
    return not array.size or all(
        array.strides[i] == array.strides[i + 1] * array.shape[i + 1] for i in range(array.ndim - 2)
    )


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
    count = math.prod(batch)
    rows = a[-2:] if len(a) > 1 else (1, a[0])
    left = shaping.reshape(shaping.expand(input, (*batch, *rows)), (count, *rows))
    wide = shaping.expand(other, (*batch, *b[-2:]))
    right = shaping.reshape(wide, (count, *b[-2:]))
    if len(b) == 1:
        right = shaping.unsqueeze(right, 2)
    result = bmm(left, right)
    if len(b) == 1:
        result = shaping.squeeze(result, -1)
    shape = (*batch, *a[-2:-1], *(b[-1:] if len(b) > 1 else ()))
    return shaping.UnsafeView.apply(result, shape=shape)


class Bmm(Function):
    """A stack of products A (n×k) @ B (k×m): dL/dA = G Bᵀ, dL/dB = Aᵀ G for each upstream gradient G (n×m)."""

    __slots__ = ()
    saves = ("self", "mat2")
    promotes = False

    @staticmethod
    def forward(ctx: Any, a: Any, b: Any) -> Any:
        needs_a, needs_b = ctx.needs_input_grad
        ctx.save_for_backward(a if needs_b else None, b if needs_a else None)
        return a @ b

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, b = ctx.saved_tensors
        needs_a, needs_b = ctx.needs_input_grad
        return grad_output @ array_ops.swap(b) if needs_a else None, array_ops.swap(
            a
        ) @ grad_output if needs_b else None


def mm(input: Tensor, mat2: Tensor) -> Tensor:
    """The product of two matrices. RuntimeError for other tensors, and where sizes or dtypes do not meet."""
    for word, each in [("self", input), ("mat2", mat2)]:
        if each.ndim != 2:
            raise RuntimeError(f"{word} must be a matrix")
    demand_matrices(input, mat2)
    if input.dtype is not mat2.dtype:
        raise RuntimeError(
            f"expected m1 and m2 to have the same dtype, but got: {input.dtype.cpp_name} != {mat2.dtype.cpp_name}"
        )
    refuse_bools("addmm_impl_cpu_", input.dtype)
    return upstream.Mm.apply(input, mat2)


def mv(input: Tensor, vec: Tensor) -> Tensor:
    """The product of a matrix and a vector. RuntimeError as `mm`."""
    if input.ndim != 2 or vec.ndim != 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got 1, {input.ndim}, {vec.ndim}")
    (n, k), (m,) = input._array.shape, vec._array.shape
    if k != m:
        raise RuntimeError(f"size mismatch, got input ({n}), mat ({n}x{k}), vec ({m})")
    demand_vector_dtypes(vec, input, vec)
    refuse_bools("addmv_impl_cpu", input.dtype)
    return upstream.Mv.apply(input, vec)


def dot(input: Tensor, tensor: Tensor) -> Tensor:
    """Σ aᵢbᵢ of two vectors. RuntimeError for other tensors, and where sizes or dtypes differ."""
    _demand_vectors("dot", input, tensor)
    return upstream.Dot.apply(input, tensor)


class Vdot(Function):
    """`Dot`, which is the same for real numbers."""

    __slots__ = ()
    promotes = False

    @staticmethod
    def forward(ctx: Any, a: Any, b: Any) -> Any:
        return upstream.Dot.forward(ctx, a, b)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return upstream.Dot.backward(ctx, grad_output)


def vdot(input: Tensor, other: Tensor) -> Tensor:
    """Σ aᵢbᵢ of two vectors, as `dot`."""
    _demand_vectors("vdot", input, other)
    return Vdot.apply(input, other)


def bmm(input: Tensor, mat2: Tensor) -> Tensor:
    """The products of two stacks of the same number of matrices. RuntimeError for other tensors or sizes."""
    for word, each in [("batch1", input), ("batch2", mat2)]:
        if each.ndim != 3:
            raise RuntimeError(f"{word} must be a 3D tensor")
    a, b = input._array.shape, mat2._array.shape
    if (a[0], a[2]) != b[:2]:
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{a[0]}, {a[2]}] but got: "
            f"[{b[0]}, {b[1]}]."
        )
    refuse_bools("bmm", input.dtype)
    if input.dtype is not mat2.dtype:
        raise RuntimeError(f"expected scalar type {input.dtype.scalar_type} but found {mat2.dtype.scalar_type}")
    return Bmm.apply(input, mat2)


def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """input[i] · vec2[j] of two vectors. RuntimeError for other tensors."""
    for word, each in [("self", input), ("vec2", vec2)]:
        if each.ndim != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {word}, but got {each.ndim}-D")
    return scalar.Mul.apply(shaping.reshape(input, (input.numel(), 1)), vec2)


def demand_matrices(a: Tensor, b: Tensor) -> None:
    """RuntimeError, in torch's words, unless the columns of a are as many as the rows of b."""
    (n, k), (m, p) = a._array.shape, b._array.shape
    if k != m:
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({n}x{k} and {m}x{p})")


def _demand_vectors(name: str, a: Tensor, b: Tensor) -> None:
    if a.ndim != 1 or b.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {a.ndim}D and {b.ndim}D tensors")
    if a.dtype is not b.dtype:
        raise RuntimeError(
            f"{name} : expected both vectors to have same dtype, but found {a.dtype.scalar_type} and "
            f"{b.dtype.scalar_type}"
        )
    (n,), (m,) = a._array.shape, b._array.shape
    if n != m:
        raise RuntimeError(
            f"inconsistent tensor size, expected tensor [{n}] and src [{m}] to have the same number of elements, but "
            f"got {n} and {m} elements respectively"
        )
    refuse_bools("dot", a.dtype)


def demand_vector_dtypes(start: Tensor, mat: Tensor, vec: Tensor) -> None:
    """RuntimeError, in torch's words, unless start + mat @ vec is about one dtype."""
    if not start.dtype is mat.dtype is vec.dtype:
        found = [each.dtype.scalar_type for each in (start, mat, vec)]
        raise RuntimeError(
            f"addmv input tensors must have the same dtype, but got {found[0]}, {found[1]}, and {found[2]}"
        )


class Trace(Function):
    """Σ aᵢᵢ: the entries of the diagonal get the upstream gradient, all others 0."""

    __slots__ = ("input_shape",)

    @staticmethod
    def forward(ctx: Any, a: Any) -> Any:
        ctx.input_shape = a.shape
        return np.trace(a, dtype=None if a.dtype.kind == "f" else np.int64)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return array_ops.where(np.eye(*ctx.input_shape, dtype=bool), grad_output, 0)  # a product would give -0


def trace(input: Tensor) -> Tensor:
    """The sum of the diagonal of a matrix. RuntimeError for another tensor."""
    if input.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {input.ndim}")
    refuse_bools("trace", input.dtype)
    return Trace.apply(input)


class Cross(Function, name="LinalgCrossBackward0"):
    """The cross product of vectors of 3: dL/da = b × g, dL/db = g × a for the upstream gradient g."""

    __slots__ = ("axis",)

    @staticmethod
    def forward(ctx: Any, a: Any, b: Any, axis: int) -> Any:
        needs_a, needs_b = ctx.needs_input_grad
        ctx.save_for_backward(a if needs_b else None, b if needs_a else None)
        ctx.axis = axis
        return np.cross(a, b, axis=axis)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, b = ctx.saved_tensors
        needs_a, needs_b = ctx.needs_input_grad
        return (
            _crossed(b, grad_output, ctx.axis) if needs_a else None,
            _crossed(grad_output, a, ctx.axis) if needs_b else None,
        )


def _crossed(a: Any, b: Any, axis: int) -> Any:
    return Cross.apply(a, b, axis=axis) if array_ops.is_tensor(a, b) else np.cross(a, b, axis=axis)


def cross(input: Tensor, other: Tensor, dim: int | None = None) -> Tensor:
    """The cross product of vectors of 3 along an axis; without `dim` the first of size 3, with a warning."""
    if input.ndim != other.ndim:
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    if dim is None:
        warn_once(
            "Using torch.cross without specifying the dim arg is deprecated.\nPlease either pass the dim explicitly or "
            "simply use torch.linalg.cross.\nThe default value of dim will change to agree with that of linalg.cross "
            "in a future release."
        )
        shape = shaping.met(input._array.shape, other._array.shape)
        if 3 not in shape:
            raise RuntimeError("no dimension of size 3 in input")
        axis = shape.index(3)
    else:
        axis = dtypes.axis_of(input.ndim, dim)
    sizes = [each._array.shape[axis] if each.ndim else 1 for each in (input, other)]
    if sizes != [3, 3]:
        raise RuntimeError(f"linalg.cross: inputs dimension {axis} must have length 3. Got {sizes[0]} and {sizes[1]}")
    checks.demand_broadcast([input._array, other._array])
    return Cross.apply(input, other, axis=axis)


define_all(globals(), "matmul mm mv dot vdot bmm outer ger=outer trace cross")
