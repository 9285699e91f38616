"""Chapter 2: what changes when the result is not a single number.

`backward()` needs to know dL/dy, the upstream gradient of the tensor y it is called on. For one element the answer
is 1 and torch supplies it. For more elements there is no default: you pass `gradient`, a tensor of y's
shape, or reduce y to one element first. That is the seed rule; under it, `y.backward(v)` fills x.grad with vᵀJ.

Broadcasting copies values, and the gradient of a copied value is the sum over its copies: `sum_to_shape`. This happens
in one place, `fit`, for whatever an operation's `backward` returns, so the operations do not need to know about it.

Mirrors https://docs.pytorch.org/docs/stable/generated/torch.Tensor.backward.html
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad.arithmetic import summing
from minigrad.compat import checks, messages
from minigrad.graph import array_ops, nodes
from minigrad.recording import record
from minigrad.scalar import Function
from minigrad.tensor import Array, Shares, Tensor, Value

# --- the seed rule -------------------------------------------------------------------------------


def seed_rule(output: Tensor, gradient: Tensor | None, place: int) -> Value:
    """dL/d(output): `gradient`, or 1 without one, as an array. RuntimeError for a wrong shape, or several elements
    without one.
    """
    if gradient is None:
        array = output._array
        if array.size != 1:
            raise RuntimeError(messages.IMPLICIT_SEED)
        return np.ones(array.shape, array.dtype) if array.ndim else array.dtype.type(1)
    if gradient._array.shape != output._array.shape:
        raise RuntimeError(messages.SEED_SHAPE.format(place, gradient.shape, output.shape))
    return gradient


# --- broadcasting --------------------------------------------------------------------------------


def sum_to_shape(grad: Value, shape: Sequence[int]) -> Value:
    """Sum `grad` over the axes along which a value of `shape` was copied; the result has `shape`."""
    have = grad.shape
    if have == tuple(shape):
        return grad
    if not shape:
        return grad.sum()
    if have[1:] == shape:  # one row was copied: the common case
        return array_ops.total_of_rows(grad)
    new = len(have) - len(shape)
    stretched = [new + axis for axis, size in enumerate(shape) if size == 1 and have[new + axis] != 1]
    total = grad.sum(axis=(*range(new), *stretched), keepdims=True)
    return total.reshape(tuple(shape)) if new else total


def fit(grad: Value, wish: record.Wish, node: nodes.Operation, index: int) -> Value:
    """What `node` returned for input `index`, summed and cast to the input's shape and dtype."""
    shape = wish.shape
    if type(grad) is not np.ndarray or grad.dtype is not wish.dtype:
        grad = array_ops.cast(grad, wish.dtype)
    if grad.shape[1:] != shape and not checks.comes_from(shape, grad.shape):  # one row copied: the common case
        raise RuntimeError(messages.WRONG_SHAPE.format(node.name(), index, list(grad.shape), list(shape)))
    return sum_to_shape(grad, shape)


record.set_fit(fit)  # from now on every share leaves its node with its input's shape

# --- reductions ----------------------------------------------------------------------------------


class Sum(Function):
    """Σ aᵢ over all entries: each entry gets the upstream gradient, unchanged."""

    @staticmethod
    def forward(ctx: Function, a: Array) -> Array:
        ctx.input_shape = a.shape
        return summing.total(a)

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        return array_ops.expand(grad_output, ctx.input_shape)


class Mean(Function):
    """Σ aᵢ / n over all n entries: each entry gets the upstream gradient divided by n."""

    @staticmethod
    def forward(ctx: Function, a: Array) -> Array:
        ctx.input_shape = a.shape
        return summing.average(a)

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        return array_ops.spread(grad_output, ctx.input_shape, max(math.prod(ctx.input_shape), 1))


# --- products ------------------------------------------------------------------------------------


class Dot(Function):
    """Σ aᵢbᵢ of two vectors (n): d/da = b, d/db = a, each times the upstream number."""

    promotes = False
    saves = ("self", "tensor")

    @staticmethod
    def forward(ctx: Function, a: Array, b: Array) -> Value:
        needs_a, needs_b = ctx.needs_input_grad
        ctx.save_for_backward(a if needs_b else None, b if needs_a else None)
        return a @ b

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        a, b = ctx.saved_tensors
        needs_a, needs_b = ctx.needs_input_grad
        return grad_output * b if needs_a else None, grad_output * a if needs_b else None


class Mv(Dot):
    """A (n×k) @ x (k): dL/dA is the outer product of the upstream gradient g (n) and x, dL/dx = Aᵀ g."""

    saves = ("self", "vec")

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        a, x = ctx.saved_tensors
        needs_a, needs_x = ctx.needs_input_grad
        return (
            grad_output[:, None] * x[None, :] if needs_a else None,
            a.T @ grad_output if needs_x else None,
        )


class Mm(Dot):
    """A (n×k) @ B (k×m): dL/dA = G Bᵀ, dL/dB = Aᵀ G, for the upstream gradient G (n×m)."""

    saves = ("self", "mat2")

    @staticmethod
    def forward(ctx: Function, a: Array, b: Array) -> Value:
        needs_a, needs_b = ctx.needs_input_grad
        ctx.save_for_backward(a if needs_b else None, b if needs_a else None)
        return array_ops.product(a, b)

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        a, b = ctx.saved_tensors
        needs_a, needs_b = ctx.needs_input_grad
        return array_ops.product(grad_output, b.T) if needs_a else None, array_ops.product(
            a.T, grad_output
        ) if needs_b else None


# --- parts of a tensor ---------------------------------------------------------------------------


def put_back(grad: Array, shape: Sequence[int], index: Any) -> Array:
    """Zeros of `shape`, with the entries of the array `grad` added where `index` points: the reverse of a[index].

    An entry that the index names several times gets the sum of its gradients.
    """
    result = np.zeros(shape, grad.dtype)
    summing.add_at(result, index, grad)
    return result
