"""The memory of a tensor: how its entries lie there, and what writes over all of them.

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
from minigrad.ops.operands import variant
from minigrad.ops.registry import define, define_all, define_property
from minigrad.runtime import array_ops, inplace
from minigrad.scalar import Function
from minigrad.tensor import Tensor


def is_contiguous(input: Tensor, *, memory_format: Any = None) -> bool:
    """True if the entries lie row by row, without gaps."""
    return bool(input._array.flags.c_contiguous)


def stride(input: Tensor, dim: int | None = None) -> Any:
    """How many entries further in memory the next one along each axis lies, or along the axis `dim`."""
    array = input._memory()
    if array.flags.c_contiguous:  # numpy keeps any number for an axis of size 1
        sizes = [max(size, 1) for size in array.shape]
        steps = tuple([math.prod(sizes[axis + 1 :]) for axis in range(len(sizes))])
    else:
        steps = tuple([step // array.itemsize for step in array.strides])
    if dim is None:
        return steps
    if not array.ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return steps[dtypes.axis_of(array.ndim, dim)]


def _start(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


def _owner(array: np.ndarray) -> np.ndarray:
    """The array that owns the memory."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def storage_offset(input: Tensor) -> int:
    """How many entries the first one lies after the start of the memory."""
    array = input._memory()
    return (_start(array) - _start(_owner(array))) // array.itemsize


def data_ptr(input: Tensor) -> int:
    """The address of the first entry: equal for two tensors that start in the same place."""
    return _start(input._memory())


class Storage:
    """The memory behind a tensor; two tensors share theirs if `data_ptr()` says the same."""

    __slots__ = ("_array",)

    def __init__(self, array: np.ndarray):
        self._array = array

    def data_ptr(self) -> int:
        """The address of the memory."""
        return _start(self._array)

    def nbytes(self) -> int:
        """Its size in bytes."""
        return self._array.nbytes

    def __len__(self) -> int:
        return self._array.nbytes


def untyped_storage(input: Tensor) -> Storage:
    """The memory behind the tensor."""
    return Storage(_owner(input._memory()))


def size(input: Tensor, dim: int | None = None) -> Any:
    """The shape, or one number of it. IndexError for an axis that is not there."""
    if dim is None:
        return input.shape
    if not input.ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return input.shape[dtypes.axis_of(input.ndim, dim)]


def numel(input: Tensor) -> int:
    """The number of entries."""
    return input._array.size


def element_size(input: Tensor) -> int:
    """The bytes of one entry."""
    return input._array.itemsize


def is_same_size(input: Tensor, other: Tensor) -> bool:
    """True if both have the same shape."""
    return input._array.shape == other._array.shape


class Zero(Function):
    """Zeros in place of a: nothing of the upstream gradient goes on."""

    __slots__ = ()

    @staticmethod
    def forward(ctx: Any, a: Any) -> Any:
        return np.zeros(a.shape, a.dtype)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return array_ops.zeros(grad_output.shape, ctx.dtype, grad_output)


class Fill(Function):
    """One number in place of a: nothing of the upstream gradient goes on."""

    __slots__ = ()

    @staticmethod
    def forward(ctx: Any, a: Any, value: Any) -> Any:
        return np.full(a.shape, value).astype(a.dtype)

    backward = staticmethod(Zero.backward)


FillInPlace = variant("FillInPlace", Fill, "FillBackward2")  # `Fill` of the tensor itself
FillTensor = variant("FillTensor", indexing.FillTensor, "FillBackward1")


def zero_(input: Tensor) -> Tensor:
    """Zeros everywhere, in place."""
    return inplace.change(input, inplace.Overlapping(Zero.apply))


def fill_(input: Tensor, value: Any) -> Tensor:
    """One number everywhere, in place: a Python number, or a tensor without axes."""
    if not isinstance(value, Tensor):
        value = dtypes.number_in(_demand_number("fill_", value), input.dtype)
        return inplace.change(input, inplace.Overlapping(FillInPlace.apply), value=value)
    inplace.demand_changeable(input, value, reads_first=True)
    _demand_no_axes(value)
    return inplace.change(input, inplace.ReadingFirst(indexing.FillTensor.apply), value)


def fill(input: Tensor, value: Any) -> Tensor:
    """A tensor like `input` with one number everywhere."""
    if not isinstance(value, Tensor):
        return Fill.apply(input, value=_demand_number("fill", value))
    _demand_no_axes(value)
    return FillTensor.apply(input, value)


def detach(input: Tensor) -> Tensor:
    """The same memory, outside the graph."""
    return input.detach()


def _demand_number(name: str, value: Any) -> Any:
    if not isinstance(value, dtypes.NUMBERS):
        raise Misfit(f"{name}() takes a number or a Tensor, not {name_of_type(value)}")
    return dtypes.plain(value)


def _demand_no_axes(value: Tensor) -> None:
    if value.ndim:
        raise RuntimeError(f"fill_ only supports 0-dimension value tensor but got tensor with {value.ndim} dimensions.")


def copy_(input: Tensor, other: Any, non_blocking: bool = False) -> Tensor:
    """The entries of `other`, expanded to the shape and cast to the dtype of the tensor, in place. The upstream
    gradient goes to `other`. RuntimeError if it has no room.
    """
    if isinstance(other, dtypes.NUMBERS):
        other = Tensor._of(np.asarray(dtypes.plain(other)))
    if not isinstance(other, Tensor):
        raise TypeError(f"copy_(): argument 'other' (position 1) must be Tensor, not {type(other).__name__}")
    inplace.demand_changeable(input, other)
    checks.demand_broadcast([input._array, other._array])
    meet = np.broadcast_shapes(input._array.shape, other._array.shape)
    if meet != input._array.shape:
        raise RuntimeError(
            f"output with shape {list(input._array.shape)} doesn't match the broadcast shape {list(meet)}"
        )
    return inplace.change(input, inplace.Copy.apply, other)


METHODS = "size is_contiguous stride storage_offset data_ptr untyped_storage element_size zero_ fill_ copy_"
define_all(globals(), METHODS, function=False)
define("is_same_size", is_same_size)
define("fill", fill, method=False)
define("detach", detach, method=False)
define("numel", numel, method=False)  # the method belongs to the Tensor itself
define("nelement", numel, function=False)
define("ndimension", Tensor.dim, function=False)
define_property("itemsize", element_size)
define_property("nbytes", lambda input: input._array.nbytes)
