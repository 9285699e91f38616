"""The axes of a tensor in another order; and the forms that rearrange the tensor itself.

Mirrors https://docs.pytorch.org/docs/stable/generated/torch.permute.html
"""

from __future__ import annotations

from typing import Any

from minigrad import leaf
from minigrad.compat import dtypes
from minigrad.compat.messages import warn_once
from minigrad.ops import shaping, slicing
from minigrad.ops.argument_parser import Dim, Ints
from minigrad.ops.operands import variant
from minigrad.ops.registry import define_all, define_property
from minigrad.runtime import array_ops, inplace, views
from minigrad.scalar import Function
from minigrad.tensor import Tensor


class Permute(views.ViewFunction):
    """The axes in another order: the upstream gradient with its axes put back."""

    __slots__ = ("axes",)

    @staticmethod
    def forward(ctx: Any, a: Any, axes: tuple[int, ...]) -> Any:
        ctx.axes = axes
        return a.transpose(axes)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        back = tuple(sorted(range(len(ctx.axes)), key=ctx.axes.__getitem__))
        return array_ops.call(Permute, grad_output, axes=back)


Transpose = variant("Transpose", Permute)  # Two axes exchanged


class T(Permute):
    """The transpose of a matrix, as `t()` makes it."""

    __slots__ = ()

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return array_ops.call(T, grad_output, axes=ctx.axes)


def permute(input: Tensor, dims: Ints) -> Tensor:
    """The axes in the order `dims`. RuntimeError unless every axis is named once."""
    if len(dims) != input.ndim:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
            f"ordering of dimensions i.e. input.dim() = {input.ndim} is not equal to len(dims) = {len(dims)}"
        )
    axes = tuple([dtypes.axis_of(input.ndim, each) for each in dims])
    if len({*axes}) < len(axes):
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return Permute.apply(input, axes=axes)


def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Two axes exchanged."""
    return Transpose.apply(input, axes=exchanged(input.ndim, dim0, dim1))


def exchanged(ndim: int, dim0: int, dim1: int) -> tuple[int, ...]:
    """The axes in their order, but for two that change places. IndexError for an axis that is not there."""
    first, second = dtypes.axis_of(ndim, dim0), dtypes.axis_of(ndim, dim1)
    axes = list(range(ndim))
    if axes:
        axes[first], axes[second] = second, first
    return tuple(axes)


def movedim(input: Tensor, source: int | Ints, destination: int | Ints) -> Tensor:
    """The axes `source` at the places `destination`, the others in their order. RuntimeError if one is named twice."""
    assert not isinstance(source, int) and not isinstance(destination, int)  # one is a tuple of one by now
    if len(source) != len(destination):
        raise RuntimeError(
            f"movedim: Invalid source or destination dims: source ({list(source)} dims) should contain the same "
            f"number of dims as destination ({list(destination)} dims)"
        )
    sources = [dtypes.axis_of(input.ndim, each) for each in source]
    targets = [dtypes.axis_of(input.ndim, each) for each in destination]
    for word, dims, axes in [("source", source, sources), ("destination", destination, targets)]:
        if len({*axes}) < len(axes):
            raise RuntimeError(f"movedim: repeated dim in `{word}` ({list(dims)})")
    if not input.ndim:
        return slicing.Alias.apply(input)
    rest = iter([axis for axis in range(input.ndim) if axis not in sources])
    moved = dict(zip(targets, sources, strict=True))
    return Permute.apply(input, axes=tuple([moved[i] if i in moved else next(rest) for i in range(input.ndim)]))


def t(input: Tensor) -> Tensor:
    """The transpose of a matrix; a vector or a number as it is. RuntimeError beyond two axes."""
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
    """`input.mT`: the last two axes exchanged. RuntimeError for a vector."""
    if input.ndim == 0:
        warn_once("Tensor.mT is deprecated on 0-D tensors. This function is the identity in these cases.")
        return input
    if input.ndim == 1:
        raise RuntimeError("tensor.mT is only supported on matrices or batches of matrices. Got 1-D tensor.")
    return transpose(input, -2, -1)


class UnsqueezeInPlace(Function, name="UnsqueezeBackward1"):
    """`Unsqueeze` of the tensor itself."""

    __slots__ = ("axis",)
    forward, backward = staticmethod(shaping.Unsqueeze.forward), staticmethod(shaping.Unsqueeze.backward)


class SqueezeInPlace(Function, name="SqueezeBackward3"):
    """`Squeeze` of the tensor itself."""

    __slots__ = ("input_shape",)
    forward, backward = staticmethod(shaping.Squeeze.forward), staticmethod(shaping.Squeeze.backward)


SqueezeDimInPlace = variant("SqueezeDimInPlace", SqueezeInPlace, "SqueezeBackward4")
SqueezeDimsInPlace = variant("SqueezeDimsInPlace", SqueezeInPlace, "SqueezeBackward5")


class TransposeInPlace(Function, name="TransposeBackward1"):
    """`Transpose` of the tensor itself."""

    __slots__ = ("axes",)
    forward, backward = staticmethod(Permute.forward), staticmethod(Permute.backward)


TInPlace = variant("TInPlace", TransposeInPlace, "TBackward1")  # `T` of the tensor itself


def rearranged(tensor: Tensor, operation: type[Function], step: type[views.ViewFunction], **settings: Any) -> Tensor:
    """Let the tensor itself show its memory in another form: a change, though no entry changes. `step` is the
    ViewFunction that makes the same of a view. RuntimeError where the tensor cannot be changed in place.
    """
    inplace.demand_changeable(tensor, overlaps=True)
    old = Tensor._of(tensor._memory())
    if leaf.recording:
        old._made_by, old._requires_grad = tensor._source(), tensor._requires_grad
    result = operation.apply(old, **settings)
    leaf.counter(tensor)[0] += 1
    tensor._array = result._array
    if tensor._view is not None:
        tensor._view.steps += ((step, settings),)
        tensor._view.seen = leaf.version(tensor)
    if result._made_by is not None:
        tensor._made_by = result._made_by
    return tensor


def unsqueeze_(input: Tensor, dim: int) -> Tensor:
    """Like `unsqueeze`, for the tensor itself."""
    return rearranged(input, UnsqueezeInPlace, shaping.Unsqueeze, axis=dtypes.axis_of(input.ndim + 1, dim))


def squeeze_(input: Tensor, dim: Dim = None) -> Tensor:
    """Like `squeeze`, for the tensor itself."""
    kinds = (SqueezeInPlace, SqueezeDimInPlace, SqueezeDimsInPlace)
    operation, axes = shaping.squeezed(input, dim, kinds)
    return rearranged(input, operation, shaping.Squeeze, axes=axes)


def transpose_(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Like `transpose`, for the tensor itself."""
    return rearranged(input, TransposeInPlace, Transpose, axes=exchanged(input.ndim, dim0, dim1))


def t_(input: Tensor) -> Tensor:
    """Like `t`, for the tensor itself."""
    if input.ndim > 2:
        raise RuntimeError(f"t_() expects a tensor with <= 2 dimensions, but self is {input.ndim}D")
    return rearranged(input, TInPlace, T, axes=tuple(range(input.ndim))[::-1])


define_all(globals(), "permute transpose swapaxes=transpose swapdims=transpose t movedim moveaxis=movedim")
IN_PLACE = "unsqueeze_ squeeze_ transpose_ swapaxes_=transpose_ swapdims_=transpose_ t_"
define_all(globals(), IN_PLACE, function=False)
define_property("T", transposed)
define_property("mT", matrix_transposed)
