"""The axes of a tensor in another order; and the forms that rearrange copied; the result is the tensor itself.
Mirrors https://docs.pytorch.org/docs/stable/generated/torch.permute.html
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from minigrad import leaf
from minigrad.compat import dtypes
from minigrad.compat.messages import warn_once
from minigrad.graph import array_ops
from minigrad.ops import shaping
from minigrad.ops.argument_parser import Axes, Ints
from minigrad.ops.operands import axis_and_size, variant
from minigrad.ops.registry import register, register_property
from minigrad.passing import inplace, views
from minigrad.scalar import Function
from minigrad.tensor import Shares, Tensor, Value


class Permute(views.ViewFunction):
    """The axes in another order: the upstream gradient with its axes put back."""

    @staticmethod
    def forward(ctx: Function, a: np.ndarray, axes: tuple[int, ...]) -> np.ndarray:
        ctx.axes = axes
        return a.transpose(axes)

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        back = tuple(sorted(range(len(ctx.axes)), key=ctx.axes.__getitem__))
        return array_ops.call(Permute, grad_output, axes=back)


Transpose = variant("Transpose", Permute)  # Two axes swapped


class T(Permute):
    """The transpose of a matrix, made by `t()`."""

    backward = staticmethod(lambda ctx, grad_output: array_ops.call(T, grad_output, axes=ctx.axes))


def rearranged(tensor: Tensor, operation: Callable, *values: object) -> Tensor:
    """Apply the view operation to the tensor itself: an in-place change, though no entry changes."""
    if tensor.requires_grad and leaf.recording:
        name = operation.__name__
        raise NotImplementedError(f"minigrad has no {name}_() inside a graph: write x = x.{name}(...)")
    inplace.demand_changeable(tensor, overlaps=True)
    result = operation(tensor, *values)
    leaf.count_change(tensor)
    tensor._array = result._array
    if tensor._view is not None and result._view is not None:
        now, before = result._view, tensor._view
        now.above, now.origin, now.seen = before.above, before.origin, leaf.version(tensor)
        tensor._view = now
    return tensor


@register("permute")
def permute(input: Tensor, dims: Ints) -> Tensor:
    """The axes in the order `dims`. RuntimeError unless every axis is named once."""
    if len(dims) != input.ndim:
        lengths = f"i.e. input.dim() = {input.ndim} is not equal to len(dims) = {len(dims)}"
        match = "in the tensor input does not match the length of the desired ordering of dimensions"
        raise RuntimeError(f"permute(sparse_coo): number of dimensions {match} {lengths}")
    axes = tuple([dtypes.axis_of(input.ndim, dim) for dim in dims])
    if len({*axes}) < len(axes):
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return Permute.apply(input, axes=axes)


@register("transpose", alias="swapaxes swapdims", in_place=rearranged)
def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Two axes swapped. IndexError if one is out of range."""
    first, second = dtypes.axis_of(input.ndim, dim0), dtypes.axis_of(input.ndim, dim1)
    axes = list(range(input.ndim))
    if axes:
        axes[first], axes[second] = second, first
    return Transpose.apply(input, axes=tuple(axes))


@register("movedim", alias="moveaxis")
def movedim(input: Tensor, source: Axes, destination: Axes) -> Tensor:
    """The axes `source` moved to `destination`, the others in order. RuntimeError for duplicates."""
    assert not isinstance(source, int) and not isinstance(destination, int)  # a single one is a tuple by now
    if len(source) != len(destination):
        raise RuntimeError(f"movedim: {list(source)} and {list(destination)} should name as many dims")
    sources, targets = ([axis_and_size(input, dim)[0] for dim in dims] for dims in (source, destination))
    if len({*sources}) < len(sources) or len({*targets}) < len(targets):
        raise RuntimeError(f"movedim: repeated dim in {list(source)} or {list(destination)}")
    rest = iter([axis for axis in range(input.ndim) if axis not in sources])
    moved = dict(zip(targets, sources, strict=True))
    return Permute.apply(input, axes=tuple([moved[i] if i in moved else next(rest) for i in range(input.ndim)]))


@register("t", in_place=rearranged)
def t(input: Tensor) -> Tensor:
    """The transpose of a matrix; a vector or a number is unchanged. RuntimeError for more than two axes."""
    if input.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {input.ndim}D")
    return T.apply(input, axes=tuple(range(input.ndim))[::-1])


def transposed(input: Tensor) -> Tensor:
    """`input.T`: the axes in reverse order. A warning unless there are two."""
    if input.ndim == 0:
        warn_once("Tensor.T is deprecated on 0-D tensors. This function is the identity in these cases.")
    elif input.ndim != 2:
        warn_once(
            "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it "
            "will throw an error in a future release. Consider `x.mT` to transpose batches of matrices or "
            "`x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor."
        )
    return Permute.apply(input, axes=tuple(range(input.ndim))[::-1])


def matrix_transposed(input: Tensor) -> Tensor:
    """`input.mT`: the last two axes swapped. RuntimeError for a vector."""
    if input.ndim == 0:
        warn_once("Tensor.mT is deprecated on 0-D tensors. This function is the identity in these cases.")
        return input
    if input.ndim == 1:
        raise RuntimeError("tensor.mT is only supported on matrices or batches of matrices. Got 1-D tensor.")
    return transpose(input, -2, -1)


def conjugated(input: Tensor) -> Tensor:
    """`input.H`: a matrix transposed (its numbers are real). RuntimeError for other shapes, a warning for a number."""
    if input.ndim == 0:
        warn_once("Tensor.H is deprecated on 0-D tensors. Consider using x.conj().")
        return input
    if input.ndim != 2:
        batches = " For batches of matrices, consider using tensor.mH" if input.ndim > 2 else ""
        got = f"Got {input.ndim}-D tensor.{batches}"
        raise RuntimeError(f"tensor.H is only supported on matrices (2-D tensors). {got}")
    return transpose(input, 0, 1)


register("squeeze", shaping.squeeze, function=False, method=False, in_place=rearranged)
register("unsqueeze", shaping.unsqueeze, function=False, method=False, in_place=rearranged)
register_property("T", transposed)
register_property("mT", matrix_transposed)
register_property("H", conjugated)
register_property("mH", matrix_transposed)
