"""The memory of a tensor: the layout of its entries, and operations that overwrite all of them.
Mirrors https://docs.pytorch.org/docs/stable/tensor_attributes.html#torch.layout
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad.compat import checks, dtypes
from minigrad.compat.typenames import name_of_type
from minigrad.ops import indexing
from minigrad.ops.argument_parser import Misfit
from minigrad.ops.operands import along, variant
from minigrad.ops.registry import define, define_all, define_property
from minigrad.runtime import array_ops, inplace
from minigrad.scalar import Function
from minigrad.tensor import Tensor


def is_contiguous(input: Tensor, *, memory_format: Any = None) -> bool:
    """True if the entries are stored row by row, without gaps."""
    return bool(input._array.flags.c_contiguous)


def stride(input: Tensor, dim: int | None = None) -> Any:
    """The distance in memory, in entries, to the next one along each axis, or along the axis `dim`."""
    array = input._memory()
    if array.flags.c_contiguous:  # numpy keeps any number for an axis of size 1
        sizes = [max(size, 1) for size in array.shape]
        steps = tuple([math.prod(sizes[axis + 1 :]) for axis in range(len(sizes))])
    else:
        steps = tuple([step // array.itemsize for step in array.strides])
    return steps if dim is None else steps[along(input, dim)[0]]


def _start(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


def storage_offset(input: Tensor) -> int:
    """The position of the first entry in the memory, in entries."""
    array = owner = input._memory()
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    return (_start(array) - _start(owner)) // array.itemsize


def data_ptr(input: Tensor) -> int:
    """The address of the first entry: equal for two tensors that start in the same place."""
    return _start(input._memory())


def size(input: Tensor, dim: int | None = None) -> Any:
    """The shape, or one size in it. IndexError if the axis is out of range."""
    return input.shape if dim is None else along(input, dim)[1]


def numel(input: Tensor) -> int:
    """The number of entries."""
    return input._array.size


def element_size(input: Tensor) -> int:
    """The bytes of one entry."""
    return input._array.itemsize


class Fill(Function, name="FillBackward2"):
    """One number in place of a: a gets no gradient."""

    forward = staticmethod(lambda ctx, a, value: np.full(a.shape, value).astype(a.dtype))
    backward = staticmethod(lambda ctx, grad_output: array_ops.zeros(grad_output.shape, ctx.dtype, grad_output))


Zero = variant("Zero", Fill)


def zero_(input: Tensor) -> Tensor:
    """Zeros everywhere, in place."""
    return inplace.change(input, inplace.Overlapping(Zero.apply), value=0)


def fill_(input: Tensor, value: Any) -> Tensor:
    """One number everywhere, in place: a Python number, or a tensor without axes."""
    if isinstance(value, dtypes.NUMBERS):
        value = dtypes.number_in(dtypes.plain(value), input.dtype)
        return inplace.change(input, inplace.Overlapping(Fill.apply), value=value)
    if not isinstance(value, Tensor):
        raise Misfit(f"fill_() takes a number or a Tensor, not {name_of_type(value)}")
    inplace.demand_changeable(input, value, reads_first=True)
    if value.ndim:
        axes = f"tensor with {value.ndim} dimensions."
        raise RuntimeError(f"fill_ only supports 0-dimension value tensor but got {axes}")
    return inplace.change(input, inplace.ReadingFirst(indexing.FillTensor.apply), value)


def detach(input: Tensor) -> Tensor:
    """The same memory, outside the graph."""
    return input.detach()


def copy_(input: Tensor, other: Any, non_blocking: bool = False) -> Tensor:
    """The entries of `other`, expanded and cast, in place; they get the gradient. RuntimeError if they do not fit."""
    if isinstance(other, dtypes.NUMBERS):
        other = Tensor._of(np.asarray(dtypes.plain(other)))
    if not isinstance(other, Tensor):
        raise TypeError(f"copy_(): argument 'other' (position 1) must be Tensor, not {type(other).__name__}")
    inplace.demand_changeable(input, other)
    checks.demand_broadcast([input._array, other._array])
    have, meet = input._array.shape, np.broadcast_shapes(input._array.shape, other._array.shape)
    if meet != have:
        raise RuntimeError(f"output with shape {list(have)} doesn't match the broadcast shape {list(meet)}")
    return inplace.change(input, inplace.Copy.apply, other)


METHODS = "size is_contiguous stride storage_offset data_ptr element_size zero_ fill_ copy_"
define_all(globals(), METHODS, function=False)
define("detach", detach, method=False)
define("numel", numel, method=False)  # the method belongs to the Tensor itself
define("nelement", numel, function=False)
define("ndimension", Tensor.dim, function=False)
define_property("itemsize", element_size)
define_property("nbytes", lambda input: input._array.nbytes)
