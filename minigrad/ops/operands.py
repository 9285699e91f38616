"""Checks and conversions of operands: a floating dtype, a common shape or dtype; the axes of a reduction.
Mirrors https://docs.pytorch.org/docs/stable/tensor_attributes.html#type-promotion-doc
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.compat import checks, dtypes
from minigrad.compat.typenames import name_of_type
from minigrad.graph import array_ops
from minigrad.ops.argument_parser import Axes, Dtype, Misfit
from minigrad.ops.argument_parser import Number as Number
from minigrad.scalar import Function
from minigrad.tensor import Shares, Tensor, Value


class _All:
    """For a missing `dim`: torch has different node names with and without it."""

    def __repr__(self) -> str:
        return "…"


ALL: Any = _All()


def variant(name: str, base: type[Function], node: str | None = None) -> Any:
    """The same operation under another node name in torch: `<name>Backward0` if none is given."""
    return type(name, (base,), {"__slots__": (), "__doc__": base.__doc__}, name=node or f"{name}Backward0")


class Recorded(Function):
    """The share that an operation's backward gives under `create_graph`, as the one node that torch has for it: flat in
    further inputs, whose gradient is 0.
    """

    forward = staticmethod(lambda ctx, share, *flat: share.copy())

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        return grad_output, *[array_ops.zeros(ctx.shape, ctx.dtype, grad_output) for _ in ctx.edges[1:]]


class Undifferentiable(Function, name="NotImplemented"):
    """An operation with a node but no derivative in torch: RuntimeError in a backward pass."""

    @staticmethod
    def forward(ctx: Function, *operands: np.ndarray, operation: str, value: Callable[..., np.ndarray]) -> np.ndarray:
        ctx.operation = operation
        return value(*operands)

    @staticmethod
    def backward(ctx: Function, grad_output: Value) -> Shares:
        raise RuntimeError(f"derivative for aten::{ctx.operation} is not implemented")

    def name(self) -> str:
        return "torch::autograd::NotImplemented"


def recorded_as(node: str) -> Callable[..., Value]:
    """What gives a share its node of that name: a Tensor's; an array stays as it is."""
    operation = variant(node.removesuffix("0"), Recorded, node)
    return lambda share, *flat: operation.apply(share, *flat) if isinstance(share, Tensor) else share


def demand_one_tensor(name: str, input: object, other: object) -> None:
    """Misfit, in torch's words, if neither operand is a Tensor."""
    if not isinstance(input, Tensor) and not isinstance(other, Tensor):
        kind = name_of_type(input)
        raise Misfit(f"{name}(): argument 'input' (position 1) must be Tensor, not {kind}")


def demand_one_shape(*operands: object) -> None:
    """RuntimeError, in torch's words, unless the operands can be broadcast together; numbers fit every shape."""
    arrays = [operand._array for operand in operands if isinstance(operand, Tensor)]
    try:
        np.broadcast_shapes(*[array.shape for array in arrays])
    except ValueError:
        common = arrays[0]
        for array in arrays[1:]:  # in torch's order: the first two, then their result and the third
            checks.demand_broadcast([common, array])
            common = np.broadcast_to(common, np.broadcast_shapes(common.shape, array.shape))


def is_bool(value: object) -> bool:
    """True for a bool, and for a tensor of bools."""
    return value._array.dtype.kind == "b" if isinstance(value, Tensor) else isinstance(value, bool)


def common_dtype(*operands: Tensor | Number) -> dtypes.dtype:
    """The common dtype of Tensors and numbers."""
    return dtypes.result_type(*[operand._array if isinstance(operand, Tensor) else operand for operand in operands])


def with_a_float(*operands: Tensor | Number) -> tuple:
    """The operands, with integers converted to the default floating dtype if none of them is floating."""
    for operand in operands:
        if (
            operand._array.dtype.kind == "f"
            if isinstance(operand, Tensor)
            else isinstance(operand, (float, np.floating))
        ):
            return operands
    default = dtypes.default().numpy
    floats = [
        Tensor._of(operand._array.astype(default)) if isinstance(operand, Tensor) else float(operand)
        for operand in operands
    ]
    return tuple(floats)


def beside(tensor: Tensor, *numbers: object) -> Tensor:
    """The tensor in its common dtype with the numbers: only a constant ever changes."""
    if tensor._array.dtype.kind == "f":
        return tensor
    common = dtypes.result_type(tensor._array, *numbers)
    return tensor if common is tensor.dtype else Tensor._of(tensor._array.astype(common.numpy))


def converted(tensor: Tensor, dtype: Dtype | None) -> Tensor:
    """The tensor in another dtype, through a separate node if a gradient is wanted; unchanged if dtype is None."""
    return tensor if dtype is None or dtype is tensor.dtype else tensor.to(dtype)


def no_kernel(kernel: str, dtype: dtypes.dtype) -> NotImplementedError:
    """torch's error for an operation that does not exist for a dtype."""
    return NotImplementedError(f"\"{kernel}\" not implemented for '{dtype.scalar_type}'")


def refuse_bools(kernel: str, dtype: Dtype | None) -> None:
    """NotImplementedError, in torch's words, for the dtype of bools."""
    if dtype is dtypes.bool_:
        raise no_kernel(kernel, dtype)


def axes_of(tensor: Tensor, dim: Axes | None) -> tuple[int, ...]:
    """`dim` as sorted axes; all of them for None and (). IndexError if out of range, RuntimeError for duplicates."""
    if dim is None or dim == () or dim == []:
        return tuple(range(tensor.ndim))
    axes: set[int] = set()
    for item in dim if isinstance(dim, (tuple, list)) else (dim,):
        axis = dtypes.axis_of(tensor.ndim, item)
        if axis in axes:
            raise RuntimeError(f"dim {axis} appears multiple times in the list of dims")
        axes.add(axis)
    return tuple(sorted(axes)) if tensor.ndim else ()


def axis_and_size(input: Tensor, dim: int) -> tuple[int, int]:
    """`dim` as a non-negative axis, and its size. IndexError, in torch's words, if it is out of range."""
    if not input.ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    axis = dtypes.axis_of(input.ndim, dim)
    return axis, input._array.shape[axis]


def kept_shape(shape: tuple, axes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of a reduction along the axes, with each of them kept as size 1."""
    return tuple([1 if axis in axes else size for axis, size in enumerate(shape)])


def shape_left(shape: tuple, axes: tuple[int, ...], keepdim: bool) -> tuple[int, ...]:
    """The shape of a reduction along the axes, without them unless `keepdim` is set."""
    if keepdim:
        return kept_shape(shape, axes)
    return tuple([size for axis, size in enumerate(shape) if axis not in axes])


def counted(shape: tuple, axes: tuple[int, ...]) -> int:
    """How many entries are reduced to one along `axes`."""
    return math.prod([shape[axis] for axis in axes])


def in_dtype(input: Tensor, dtype: dtypes.dtype | None) -> np.dtype | None:
    """`dtype` as numpy's. RuntimeError for integers if a gradient is wanted."""
    if dtype is None:
        return None
    if input.requires_grad and not dtype.is_floating_point:
        raise RuntimeError(f"Autograd not support dtype: {dtype.scalar_type}")
    return dtype.numpy


def each_slice(a: Value, axis: int) -> list:
    """The parts of an array or Tensor at each place of an axis, without that axis."""
    return [a[(slice(None),) * axis + (place,)] for place in range(a.shape[axis])]
