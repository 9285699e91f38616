"""Floor 2: what changes when the result is not a single number.

`backward()` needs to know dL/dy, the upstream gradient of the tensor y it is called on. For one element the answer
is 1 and torch supplies it. For more elements there is no answer to guess: you pass `gradient`, a tensor of y's
shape, or reduce y to one element first. That is the seed rule, and with it `y.backward(v)` fills x.grad with vᵀJ.

Broadcasting is copying, and the gradient of a copied value is the sum over its copies: `sum_to_shape`. It is applied
in one place, `fit`, to whatever an operation's `backward` returns; so the operations need not know about it.

Mirrors https://docs.pytorch.org/docs/stable/generated/torch.Tensor.backward.html
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad import dtypes, scalar
from minigrad.scalar import Function
from minigrad.tensor import Tensor

# --- the seed rule -------------------------------------------------------------------------------


def backward(output: Tensor, gradient: Any = None, retain_graph: bool | None = None) -> None:
    """Fill the `.grad` of every leaf below `output` with vᵀJ, where v is `gradient`.

    `gradient` has the shape of `output`, any real dtype (it is cast), and may be left out when output has one
    element: then v = 1. TypeError if it is not a tensor, RuntimeError if its shape differs, if it is missing for
    several elements, or if nothing below requires grad.
    """
    gradients = (gradient,) if gradient is None or isinstance(gradient, Tensor) else tuple(gradient)
    if not gradients:
        raise RuntimeError("got 1 tensors and 0 gradients")
    seed = seed_for(output, gradients[0])
    if seed is None:
        raise RuntimeError("element 0 of tensors does not require grad and does not have a grad_fn")
    with np.errstate(all="ignore"):  # torch does not warn about 1/0 or overflow
        scalar.backpropagate(output.grad_fn or output, seed, bool(retain_graph))


def seed_for(output: Tensor, gradient: Any) -> np.ndarray | None:
    """The array the walk starts with: `gradient` in the dtype of `output`, or the implicit 1; None for a constant."""
    if gradient is None:
        if not output.requires_grad:
            return None
        if output.numel() != 1:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        return np.ones(output.shape, output.dtype.numpy)
    if not isinstance(gradient, Tensor):
        raise TypeError(f"gradients can be either Tensors or None, but got {type(gradient).__name__}")
    if gradient.shape != output.shape:
        raise RuntimeError(
            f"Mismatch in shape: grad_output[0] has a shape of {gradient.shape} "
            f"and output[0] has a shape of {output.shape}."
        )
    return gradient._array.astype(output.dtype.numpy) if output.requires_grad else None


# --- broadcasting --------------------------------------------------------------------------------


def sum_to_shape(grad: np.ndarray, shape: Sequence[int]) -> np.ndarray:
    """Sum `grad` over the axes along which a value of `shape` was copied; the result has `shape`.

    ValueError if a value of `shape` cannot be broadcast to the shape of `grad`.
    """
    if grad.shape == tuple(shape):
        return grad
    new = grad.ndim - len(shape)
    if new < 0 or any(have not in (1, want) for want, have in zip(grad.shape[new:], shape, strict=True)):
        raise ValueError(f"{tuple(shape)} cannot be broadcast to {grad.shape}")
    stretched = [new + axis for axis, size in enumerate(shape) if size == 1 and grad.shape[new + axis] != 1]
    return grad.sum(axis=(*range(new), *stretched), keepdims=True).reshape(shape)


def demand_broadcast(values: Sequence[Any]) -> None:
    """RuntimeError, in torch's words, if two arrays have shapes that cannot be broadcast to one."""
    shapes = [value.shape for value in values if isinstance(value, np.ndarray)]
    if len(shapes) != 2:
        return
    ndim = max(map(len, shapes))
    a, b = ((1,) * (ndim - len(shape)) + tuple(shape) for shape in shapes)
    for axis in reversed(range(ndim)):
        if a[axis] != b[axis] and 1 not in (a[axis], b[axis]):
            raise RuntimeError(
                f"The size of tensor a ({a[axis]}) must match the size of tensor b ({b[axis]}) "
                f"at non-singleton dimension {axis}"
            )


def fit(grad: Any, target: Any, node: Function, index: int) -> np.ndarray:
    """What `node` returned for input `index`, summed and cast to the shape and dtype of that input."""
    grad = np.asarray(grad, dtype=target.dtype.numpy)
    try:
        return sum_to_shape(grad, target.shape)
    except ValueError:
        raise RuntimeError(
            f"Function {node.name()} returned an invalid gradient at index {index} - got {list(grad.shape)} "
            f"but expected shape compatible with {list(target.shape)}"
        ) from None


# --- operations on whole tensors -----------------------------------------------------------------


class Sum(Function):
    """Σ aᵢ over all entries: each entry gets the upstream gradient, unchanged."""

    __slots__ = ("input_shape",)

    @staticmethod
    def forward(ctx: Any, a: Any) -> Any:
        ctx.input_shape = a.shape
        return a.sum(dtype=None if a.dtype.kind == "f" else np.int64)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return np.broadcast_to(grad_output, ctx.input_shape)


class SumDim(Function, name="SumBackward1"):
    """Σ along some axes: every summand gets the upstream gradient of its sum."""

    __slots__ = ("input_shape", "axes")

    @staticmethod
    def forward(ctx: Any, a: Any, axes: tuple[int, ...], keepdim: bool) -> Any:
        ctx.input_shape, ctx.axes = a.shape, axes
        return a.sum(axis=axes, keepdims=keepdim, dtype=None if a.dtype.kind == "f" else np.int64)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        kept = [1 if axis in ctx.axes else size for axis, size in enumerate(ctx.input_shape)]
        return np.broadcast_to(grad_output.reshape(kept), ctx.input_shape)


class Mean(Function):
    """Σ aᵢ / n over all n entries: each entry gets the upstream gradient divided by n."""

    __slots__ = ("input_shape",)

    @staticmethod
    def forward(ctx: Any, a: Any) -> Any:
        ctx.input_shape = a.shape
        return a.sum() / a.size

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return np.broadcast_to(grad_output / max(int(np.prod(ctx.input_shape)), 1), ctx.input_shape)


class MeanDim(SumDim, name="MeanBackward1"):
    """The mean along some axes: every summand gets the upstream gradient of its mean, divided by their number."""

    __slots__ = ()

    @staticmethod
    def forward(ctx: Any, a: Any, axes: tuple[int, ...], keepdim: bool) -> Any:
        ctx.input_shape, ctx.axes = a.shape, axes
        return a.sum(axis=axes, keepdims=keepdim) / counted(a.shape, axes)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        count = counted(ctx.input_shape, ctx.axes)
        return SumDim.backward(ctx, grad_output / count if count else grad_output)


def counted(shape: Sequence[int], axes: tuple[int, ...]) -> int:
    """How many entries one sum along `axes` has."""
    return int(np.prod([shape[axis] for axis in axes], dtype=int))


def axes_of(tensor: Tensor, dim: Any) -> tuple[int, ...]:
    """`dim` as non-negative axes, sorted. IndexError, in torch's words, outside the tensor's dimensions."""
    ndim = max(tensor.ndim, 1)  # torch takes 0 and -1 for a tensor without axes
    axes = set()
    for each in dim if isinstance(dim, (tuple, list)) else (dim,):
        if not -ndim <= each < ndim:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [{-ndim}, {ndim - 1}], but got {each})"
            )
        if each % ndim in axes:
            raise RuntimeError(f"dim {each % ndim} appears multiple times in the list of dims")
        axes.add(each % ndim)
    return tuple(sorted(axes)) if tensor.ndim else ()


def sum(a: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Σ over all entries, or along the axes `dim`; integers and bools sum to int64."""
    if dim is None:
        return Sum.apply(a)
    return SumDim.apply(a, axes=axes_of(a, dim), keepdim=keepdim)


def mean(a: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    """The mean of all entries, or along the axes `dim`. RuntimeError for integers and bools."""
    if not a.dtype.is_floating_point:
        raise RuntimeError(
            "mean(): could not infer output dtype. Input dtype must be either a floating point or complex "
            f"dtype. Got: {a.dtype.scalar_type}"
        )
    if dim is None:
        return Mean.apply(a)
    return MeanDim.apply(a, axes=axes_of(a, dim), keepdim=keepdim)


class Dot(Function):
    """Σ aᵢbᵢ of two vectors (n): d/da = b, d/db = a, each times the upstream number."""

    __slots__ = ()
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
        return grad_output * b if needs_a else None, grad_output * a if needs_b else None


class Mm(Dot):
    """A (n×k) @ B (k×m): dL/dA = G Bᵀ, dL/dB = Aᵀ G, for the upstream gradient G (n×m)."""

    __slots__ = ()

    @staticmethod
    def forward(ctx: Any, a: Any, b: Any) -> Any:
        Dot.forward(ctx, a, b)
        return product(a, b)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, b = ctx.saved_tensors
        needs_a, needs_b = ctx.needs_input_grad
        return product(grad_output, b.T) if needs_a else None, product(a.T, grad_output) if needs_b else None


def product(a: Any, b: Any) -> Any:
    """a @ b of two matrices. An outer product is only multiplied, as in torch: numpy adds 0, which turns -0 to 0."""
    is_outer = a.shape[1] == 1 and len(a) > 1 and b.shape[1] > 1
    return a * b if is_outer else a @ b


class Mv(Dot):
    """A (n×k) @ x (k): dL/dA = v xᵀ (an outer product), dL/dx = Aᵀ v, for the upstream gradient v (n)."""

    __slots__ = ()

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, x = ctx.saved_tensors
        needs_a, needs_x = ctx.needs_input_grad
        return (
            np.outer(grad_output, x) if needs_a else None,
            a.T @ grad_output if needs_x else None,
        )


class Unsqueeze(Function):
    """A vector (n) as a row (1×n): the upstream gradient without that axis. A view of a's memory."""

    __slots__ = ()

    @staticmethod
    def forward(ctx: Any, a: Any) -> Any:
        return a[None]

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return grad_output[0]


class Squeeze(Function, name="SqueezeBackward4"):
    """A row (1×n) as a vector (n): the upstream gradient with that axis. A view of a's memory."""

    __slots__ = ()

    @staticmethod
    def forward(ctx: Any, a: Any) -> Any:
        return a[0]

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return grad_output[None]


class Select(Function):
    """a[index], along the first axis: the chosen entries get the upstream gradient, all others 0. A view."""

    __slots__ = ("input_shape", "index")

    @staticmethod
    def forward(ctx: Any, a: Any, index: int) -> Any:
        ctx.input_shape, ctx.index = a.shape, (index, ...)
        return a[ctx.index]

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        grad = np.zeros(ctx.input_shape, np.asarray(grad_output).dtype)
        grad[ctx.index] = grad_output
        return grad


class Permute(Function):
    """The axes in reverse order: the upstream gradient with its axes reversed back. A view of a's memory."""

    __slots__ = ()

    @staticmethod
    def forward(ctx: Any, a: Any) -> Any:
        return a.T

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return grad_output.T


def matmul(a: Tensor, b: Tensor) -> Tensor:
    """a @ b for vectors and matrices, each case with torch's node and torch's words when the shapes do not meet."""
    if not a.ndim or not b.ndim:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {a.ndim}D and {b.ndim}D")
    if a.ndim > 2 or b.ndim > 2:
        raise NotImplementedError(
            f"minigrad multiplies vectors and matrices only, not tensors of {a.ndim} and {b.ndim} dimensions"
        )
    problems = [_sizes_do_not_meet(a, b), _dtypes_do_not_meet(a, b)]
    if a.ndim == b.ndim == 1:
        problems.reverse()  # torch looks at the dtypes of two vectors first
    for problem in filter(None, problems):
        raise RuntimeError(problem)
    if a.dtype is dtypes.bool_:
        kernel = ("dot" if a.ndim == 1 else "addmv_impl_cpu") if b.ndim == 1 else "addmm_impl_cpu_"
        raise NotImplementedError(f"\"{kernel}\" not implemented for 'Bool'")
    if b.ndim == 1:
        return (Dot if a.ndim == 1 else Mv).apply(a, b)
    if a.ndim == 1:  # as in torch: make a row of it, multiply, make a vector of the row
        return Squeeze.apply(Mm.apply(Unsqueeze.apply(a), b))
    return Mm.apply(a, b)


def _sizes_do_not_meet(a: Tensor, b: Tensor) -> str | None:
    if a._array.shape[-1] == b._array.shape[0]:
        return None
    shape_a, shape_b = list(a.shape), list(b.shape)
    if a.ndim == b.ndim == 1:
        return (
            f"inconsistent tensor size, expected tensor {shape_a} and src {shape_b} to have the same number of "
            f"elements, but got {shape_a[0]} and {shape_b[0]} elements respectively"
        )
    if b.ndim == 1:
        n, k = shape_a
        return f"size mismatch, got input ({n}), mat ({n}x{k}), vec ({shape_b[0]})"
    rows = shape_a if a.ndim == 2 else [1, *shape_a]
    return f"mat1 and mat2 shapes cannot be multiplied ({rows[0]}x{rows[1]} and {shape_b[0]}x{shape_b[1]})"


def _dtypes_do_not_meet(a: Tensor, b: Tensor) -> str | None:
    if a.dtype is b.dtype:
        return None
    type_a, type_b = a.dtype.scalar_type, b.dtype.scalar_type
    if a.ndim == b.ndim == 1:
        return f"dot : expected both vectors to have same dtype, but found {type_a} and {type_b}"
    if b.ndim == 1:
        return f"addmv input tensors must have the same dtype, but got {type_b}, {type_a}, and {type_b}"
    return f"expected m1 and m2 to have the same dtype, but got: {a.dtype.cpp_name} != {b.dtype.cpp_name}"


def select(a: Tensor, index: tuple[int, ...]) -> Tensor:
    """a[i, j, …] for integers. IndexError, in torch's words, when an index leaves its axis."""
    if not a.ndim and index == (0,):
        raise IndexError(
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ "
            "to convert a 0-dim tensor to a number"
        )
    if len(index) > max(a.ndim, 1):
        raise IndexError(f"too many indices for tensor of dimension {a.ndim}")
    for axis, (i, size) in enumerate(zip(index, a.shape or (0,), strict=False)):
        if not -size <= i < size:
            raise IndexError(f"index {i} is out of bounds for dimension {axis} with size {size}")
    for i in index:
        a = Select.apply(a, index=i)
    return a
