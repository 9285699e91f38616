"""torch's dtypes, the numbers they can hold, and the rules for combining two of them in one operation.

A tensor with axes outranks a tensor without, and that one outranks a Python number: the lower rank decides only
when it is of a higher kind (bool < integer < floating). So float32 * 2.5 stays float32, int64 * 2.5 becomes the
default float32, and a float32 vector times a float64 tensor without axes stays float32.
Mirrors https://docs.pytorch.org/docs/stable/tensor_attributes.html#torch.dtype
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad.compat import pickling
from minigrad.compat.versions import changed

BOOL, INTEGER, FLOATING = range(3)


class dtype:
    """The kind of number a tensor holds; prints as `torch.float32`."""

    __module__ = "torch"
    is_complex = False  # there are no complex numbers here

    def __init__(self, name: str, kind: int, scalar_type: str, cpp_name: str):
        self.name, self.kind, self.numpy = name, kind, np.dtype(name)
        self.scalar_type, self.cpp_name = scalar_type, cpp_name  # two more names, used in error messages
        self.tensor_type = f"torch.{scalar_type}Tensor"
        self.is_floating_point, self.is_signed = kind == FLOATING, self.numpy.kind in "if"
        self.itemsize = self.numpy.itemsize  # in bytes

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> tuple:
        return pickling.found, ("minigrad", self.name)


bool_ = dtype("bool", BOOL, "Bool", "bool")
uint8 = dtype("uint8", INTEGER, "Byte", "unsigned char")
int8 = dtype("int8", INTEGER, "Char", "signed char")
int16 = dtype("int16", INTEGER, "Short", "short int")
int32 = dtype("int32", INTEGER, "Int", "int")
int64 = dtype("int64", INTEGER, "Long", "long int")
float16 = dtype("float16", FLOATING, "Half", "c10::Half")
float32 = dtype("float32", FLOATING, "Float", "float")
float64 = dtype("float64", FLOATING, "Double", "double")

ALL = (bool_, uint8, int8, int16, int32, int64, float16, float32, float64)
OF_NUMPY = {item.numpy: item for item in ALL}
OF_PYTHON = {float: float64, int: int64, bool: bool_}
NUMBERS = (bool, int, float, np.number, np.bool_)
PYTHON = frozenset((bool, int, float))
_default = float32


def of_array(array: np.ndarray) -> dtype:
    """The dtype of a numpy array; TypeError where torch has no such dtype."""
    result = OF_NUMPY.get(array.dtype)
    if result is None:
        known = ", ".join(item.name for item in reversed(ALL))
        raise TypeError(f"can't convert np.ndarray of type numpy.{array.dtype}. The supported types are: {known}.")
    return result


def of_number(number: Any) -> dtype:
    """The dtype of a Python number: bool, int64, or the default floating dtype for a float."""
    kind = type(plain(number))
    return _default if kind is float else OF_PYTHON[kind]


def plain(value: Any) -> Any:
    """A numpy number as a Python number; anything else unchanged."""
    return value.item() if isinstance(value, np.generic) else value


def default() -> dtype:
    """The dtype of floating numbers if the program gives none: float32, unless `set_default` changed it."""
    return _default


def set_default(d: dtype, /) -> None:
    """Make a floating dtype the default. TypeError for anything else."""
    global _default
    if not isinstance(d, dtype) or not d.is_floating_point:
        subject = "" if isinstance(d, dtype) else "invalid dtype object: "
        raise TypeError(f"{subject}only floating-point types are supported as the default type")
    _default = d


def cast(array: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """A copy in another dtype. float64 becomes float16 through float32, as in torch."""
    with np.errstate(all="ignore"):
        if array.dtype == np.float64 and dtype == np.float16:
            array = array.astype(np.float32)
        return array.astype(dtype)


C_NAMES = {"int32": "int", "float16": "c10::Half", "float32": "float", "float64": "double"}


def demand_room_for(value: float | int, dtype: dtype, name: str) -> None:
    """RuntimeError, in torch's words, for a number outside a dtype. Negative ones wrap around in uint8."""
    if dtype.is_floating_point:
        fits = not math.isfinite(value) or abs(value) <= float(np.finfo(dtype.numpy).max)
    else:
        limits = np.iinfo(dtype.numpy)
        least = -limits.max if limits.min == 0 and isinstance(value, int) else limits.min
        if isinstance(value, float) and math.isfinite(value) and changed("floats_cut_first"):
            value, least = math.trunc(value) if value > 0 else value, limits.min  # what is too small is not cut
        within = (float(least), float(limits.max)) if isinstance(value, float) else (least, limits.max)
        fits = within[0] <= value <= within[1]
    if not fits:
        raise RuntimeError(f"value cannot be converted to type {name} without overflow")


def number_in(value: Any, dtype: dtype) -> Any:
    """The number as one of the dtype. RuntimeError or OverflowError, in torch's words, if it does not fit."""
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        raise OverflowError("int too big to convert" if value > 0 else "can't convert negative int to unsigned")
    if dtype.kind == BOOL:
        return bool(value)
    demand_room_for(value, dtype, C_NAMES.get(dtype.name, f"{dtype.name}_t"))
    if dtype.is_floating_point:
        return cast(np.array(float(value)), dtype.numpy)
    return np.array(int(value) % 2**64, np.uint64).astype(dtype.numpy)


def axis_of(ndim: int, dim: Any) -> int:
    """`dim` as a non-negative axis. IndexError, in torch's words, outside the dimensions."""
    bound = max(ndim, 1)  # torch accepts 0 and -1 for a tensor without axes
    if not -bound <= dim < bound:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-bound}, {bound - 1}], but got {dim})")
    return dim % bound


def joined(a: dtype, b: dtype) -> dtype:
    """The smallest dtype of the higher kind that holds both."""
    if a.kind != b.kind:
        return a if a.kind > b.kind else b
    return OF_NUMPY[np.promote_types(a.numpy, b.numpy)]


def result_type(*operands: object) -> dtype:
    """The common dtype of arrays (of any shape; numpy's numbers have none) and Python numbers."""
    ranks: list[dtype | None] = [None, None, None]  # with axes, without axes, Python numbers
    for operand in operands:
        if isinstance(operand, (np.ndarray, np.generic)):
            rank, result = (0 if operand.ndim else 1), OF_NUMPY[operand.dtype]
        else:
            rank, result = 2, of_number(operand)
        known = ranks[rank]
        ranks[rank] = result if known is None else joined(known, result)
    return max([rank for rank in ranks if rank is not None], key=lambda item: item.kind)  # the first of the highest


def wrapped(operands: list) -> list:
    """The same operands, each Python integer beside integers of n bits as theirs that is equal modulo 2ⁿ."""
    common = result_type(*operands).numpy
    whole = common.kind in "iu"
    return [np.array(operand).astype(common)[()] if whole and type(operand) is int else operand for operand in operands]


def promoted(operands: list) -> list:
    """The same operands, every array cast to their `result_type`; Python numbers stay as they are."""
    common = result_type(*operands).numpy
    arrays = np.ndarray, np.generic
    return [operand.astype(common, copy=False) if isinstance(operand, arrays) else operand for operand in operands]
