"""What operations ask of their operands before they compute: a floating dtype, a common shape or dtype.

Mirrors https://docs.pytorch.org/docs/stable/tensor_attributes.html#type-promotion-doc
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import ops
from minigrad.compat import checks, dtypes
from minigrad.compat.typenames import name_of_type
from minigrad.ops.argument_parser import Misfit
from minigrad.ops.argument_parser import Number as Number
from minigrad.scalar import Function
from minigrad.tensor import Tensor


def variant(name: str, base: type[Function], node: str | None = None) -> Any:
    """The same operation where torch has a node of another name for it: `<name>Backward0` if none is given."""
    return type(name, (base,), {"__slots__": (), "__doc__": base.__doc__}, name=node or f"{name}Backward0")


def demand_one_tensor(name: str, input: Any, other: Any) -> None:
    """Misfit, in torch's words, if neither operand is a Tensor."""
    if not isinstance(input, Tensor) and not isinstance(other, Tensor):
        kind = name_of_type(input)
        raise Misfit(f"{name}(): argument 'input' (position 1) must be Tensor, not {kind}")


def with_a_tensor(input: Any, other: Any) -> Any:
    """input; of two numbers as a Tensor, which arithmetic takes, unlike other operations: `torch.add(1, 2)`."""
    if isinstance(input, Tensor) or isinstance(other, Tensor):
        return input
    return Tensor._of(np.asarray(input, dtypes.of_number(input).numpy))


def demand_one_shape(*operands: Any) -> None:
    """RuntimeError, in torch's words, unless there is a shape in which the operands meet; numbers fit every shape."""
    arrays = [each._array for each in operands if isinstance(each, Tensor)]
    try:
        np.broadcast_shapes(*[each.shape for each in arrays])
    except ValueError:
        common = arrays[0]
        for each in arrays[1:]:  # in torch's order: the first two, then what they make and the third
            checks.demand_broadcast([common, each])
            common = np.broadcast_to(common, np.broadcast_shapes(common.shape, each.shape))


def is_bool(value: Any) -> bool:
    """True for a bool, and for a tensor of bools."""
    return value._array.dtype.kind == "b" if isinstance(value, Tensor) else isinstance(value, bool)


def common_dtype(*operands: Any) -> dtypes.dtype:
    """The dtype in which Tensors and numbers meet."""
    return dtypes.result_type(*[each._array if isinstance(each, Tensor) else each for each in operands])


def with_a_float(*operands: Any) -> tuple:
    """The operands, integers turned to the default floating dtype where nothing among them is floating."""
    for each in operands:
        if each._array.dtype.kind == "f" if isinstance(each, Tensor) else isinstance(each, (float, np.floating)):
            return operands
    default = dtypes.default().numpy
    return tuple(
        [Tensor._of(each._array.astype(default)) if isinstance(each, Tensor) else float(each) for each in operands]
    )


def beside(tensor: Tensor, *numbers: Any) -> Tensor:
    """The tensor in the dtype in which it meets the numbers: only a constant ever changes."""
    if tensor._array.dtype.kind == "f":
        return tensor
    common = dtypes.result_type(tensor._array, *numbers)
    return tensor if common is tensor.dtype else Tensor._of(tensor._array.astype(common.numpy))


def converted(tensor: Tensor, dtype: dtypes.dtype | None) -> Tensor:
    """The tensor in another dtype, through a node of its own if a gradient is wanted; the same if dtype is None."""
    return tensor if dtype is None or dtype is tensor.dtype else ops.functions["to"](tensor, dtype)


def no_kernel(kernel: str, dtype: dtypes.dtype) -> NotImplementedError:
    """What torch says where an operation does not exist for a dtype."""
    return NotImplementedError(f"\"{kernel}\" not implemented for '{dtype.scalar_type}'")


def refuse_bools(kernel: str, dtype: dtypes.dtype | None) -> None:
    """NotImplementedError, in torch's words, for the dtype of bools."""
    if dtype is dtypes.bool_:
        raise no_kernel(kernel, dtype)
