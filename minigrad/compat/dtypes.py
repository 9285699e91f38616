"""torch's dtypes, the numbers that they can hold, and the rules by which two of them meet in one operation.

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


class dtype:
    """The kind of number a tensor holds; prints as `torch.float32`."""

    __module__ = "torch"
    __slots__ = ("name", "numpy", "kind", "scalar_type", "cpp_name", "tensor_type")

    def __init__(self, name: str, kind: int, scalar_type: str, cpp_name: str):
        self.name = name
        self.numpy = np.dtype(name)
        self.kind = kind
        self.scalar_type, self.cpp_name = scalar_type, cpp_name  # two more names, met in error messages
        self.tensor_type = f"torch.{scalar_type}Tensor"

    @property
    def is_floating_point(self) -> bool:
        """True for float16, float32 and float64."""
        return self.kind == FLOATING

    @property
    def is_signed(self) -> bool:
        """True where there are numbers below 0."""
        return self.numpy.kind in "if"

    @property
    def is_complex(self) -> bool:
        """Never: there are no complex numbers here."""
        return False

    @property
    def itemsize(self) -> int:
        """How many bytes one number takes."""
        return self.numpy.itemsize

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> Any:
        return pickling.found, ("minigrad", self.name)


BOOL, INTEGER, FLOATING = range(3)

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
OF_NUMPY = {each.numpy: each for each in ALL}
OF_NUMBER = {bool: bool_, int: int64}
OF_PYTHON = {float: float64, int: int64, bool: bool_}
_default = float32
NUMBERS = (bool, int, float, np.number, np.bool_)
PYTHON = frozenset((bool, int, float))


def of_array(array: np.ndarray) -> dtype:
    """The dtype of a numpy array; TypeError where torch has no such dtype."""
    try:
        return OF_NUMPY[array.dtype]
    except KeyError:
        known = ", ".join(each.name for each in reversed(ALL))
        raise TypeError(
            f"can't convert np.ndarray of type numpy.{array.dtype}. The supported types are: {known}."
        ) from None


def of_number(number: Any) -> dtype:
    """The dtype of a Python number: bool, int64, or the default floating dtype for a float."""
    if isinstance(number, np.generic):
        number = number.item()
    return _default if type(number) is float else OF_NUMBER[type(number)]


def plain(value: Any) -> Any:
    """A number of numpy as a Python number; anything else as it is."""
    return value.item() if isinstance(value, np.generic) else value


def default() -> dtype:
    """The dtype of floating numbers where the program names none: float32, unless `set_default` changed it.

    >>> default()
    torch.float32
    """
    return _default


def set_default(d: dtype, /) -> None:
    """Make a floating dtype the default. TypeError for anything else.

    >>> set_default(float64)
    >>> default(), of_number(1.5)
    (torch.float64, torch.float64)
    >>> set_default(float32)
    """
    global _default
    if not isinstance(d, dtype):
        raise TypeError("invalid dtype object: only floating-point types are supported as the default type")
    if not d.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    _default = d


def cast(array: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """A copy in another dtype. float64 becomes float16 by way of float32, as in torch."""
    with np.errstate(all="ignore"):
        if array.dtype == np.float64 and dtype == np.float16:
            array = array.astype(np.float32)
        return array.astype(dtype)


def demand_room_for(value: float | int, dtype: dtype, name: str) -> None:
    """RuntimeError, in torch's words, for a number outside an integer dtype. Negative ones wrap around in uint8."""
    limits = np.iinfo(dtype.numpy)
    least = -limits.max if limits.min == 0 and isinstance(value, int) else limits.min
    if not (float(least) <= value <= float(limits.max) if isinstance(value, float) else least <= value <= limits.max):
        raise RuntimeError(f"value cannot be converted to type {name} without overflow")


C_NAMES = {"int32": "int", "float16": "c10::Half", "float32": "float", "float64": "double"}


def number_in(value: Any, dtype: dtype, count: int = 2) -> Any:
    """The number as one of the dtype. RuntimeError, OverflowError in torch's words, if it does not fit."""
    if isinstance(value, int) and value >= 2**64:
        raise OverflowError("int too big to convert")
    if isinstance(value, int) and value < -(2**63):
        raise OverflowError("can't convert negative int to unsigned")
    name = C_NAMES.get(dtype.name, f"{dtype.name}_t")
    if dtype.is_floating_point:
        largest = float(np.finfo(dtype.numpy).max)
        alone = dtype is float16 and count == 1  # one half-precision number is not checked
        if math.isfinite(value) and abs(value) > largest and not alone:
            raise RuntimeError(f"value cannot be converted to type {name} without overflow")
        return cast(np.array(float(value)), dtype.numpy)
    if dtype.kind == BOOL:
        return bool(value)
    demand_room_for(value, dtype, name)
    return np.array(int(value) % 2**64, np.uint64).astype(dtype.numpy)


def axis_of(ndim: int, dim: Any) -> int:
    """`dim` as a non-negative axis. IndexError, in torch's words, outside the dimensions."""
    bound = max(ndim, 1)  # torch takes 0 and -1 for a tensor without axes
    if not -bound <= dim < bound:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-bound}, {bound - 1}], but got {dim})")
    return dim % bound


def joined(a: dtype, b: dtype) -> dtype:
    """The smallest dtype of the higher kind that holds both."""
    if a is b:
        return a
    if a.kind != b.kind:
        return a if a.kind > b.kind else b
    return OF_NUMPY[np.promote_types(a.numpy, b.numpy)]


def result_type(*operands: Any) -> dtype:
    """The dtype in which arrays (of any shape; numpy's numbers have none) and Python numbers meet."""
    ranks: list[dtype | None] = [None, None, None]  # with axes, without axes, Python numbers
    for operand in operands:
        if isinstance(operand, (np.ndarray, np.generic)):
            rank, found = (0 if operand.ndim else 1), OF_NUMPY[operand.dtype]
        else:
            rank, found = 2, of_number(operand)
        known = ranks[rank]
        ranks[rank] = found if known is None else joined(known, found)
    result: dtype | None = None
    for candidate in ranks:
        if candidate is not None and (result is None or candidate.kind > result.kind):
            result = candidate
    assert result is not None
    return result


def promoted(operands: list) -> list:
    """The same operands, every array cast to their `result_type`; Python numbers stay as they are."""
    common = result_type(*operands).numpy
    return [
        operand.astype(common, copy=False) if isinstance(operand, (np.ndarray, np.generic)) else operand
        for operand in operands
    ]
