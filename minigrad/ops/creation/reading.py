"""The array that torch makes from Python data: numbers, nested sequences of them, a numpy array, another tensor.
Mirrors https://docs.pytorch.org/docs/stable/generated/torch.tensor.html
"""

from __future__ import annotations

import contextlib
import functools
import operator
from typing import Any

import numpy as np

from minigrad.compat import dtypes
from minigrad.compat.messages import warn_once
from minigrad.compat.typenames import is_foreign, name_of_type
from minigrad.tensor import Tensor


def array_of(data: Any, dtype: dtypes.dtype | None, copy: bool) -> np.ndarray:
    """An array with the data in the dtype, or in the one torch would infer; a copy, or the data's own memory."""
    if isinstance(data, Tensor):
        array = np.asarray(data._array)
    elif isinstance(data, np.ndarray):
        array = known(data) if copy else shared(data)
    elif is_foreign(data):
        array = data.detach().numpy().copy()
    else:
        return from_python(data, dtype)
    if dtype is not None and array.dtype != dtype.numpy:
        return dtypes.cast(array, dtype.numpy)
    return np.array(array) if copy else array


def known(array: np.ndarray) -> np.ndarray:
    """The array. TypeError or ValueError, in torch's words, if no tensor can share its memory."""
    demand_known(array.dtype)
    if any(step < 0 for step in array.strides):
        raise ValueError(
            "At least one stride in the given numpy array is negative, and tensors with negative strides are not "
            "currently supported. (You can probably work around this by making a copy of your array  with "
            "array.copy().) "
        )
    return array


def demand_known(dtype: np.dtype) -> None:
    """TypeError for a dtype that torch does not have, NotImplementedError for one that only torch has."""
    if dtype in dtypes.OF_NUMPY:
        return
    if not dtype.isnative or dtype.name in ("complex64", "complex128", "uint16", "uint32", "uint64"):
        raise NotImplementedError(f"minigrad has no dtype {dtype}")
    raise TypeError(
        f"can't convert np.ndarray of type numpy.{dtype.type.__name__}. The only supported types are: float64, "
        "float32, float16, complex64, complex128, int64, int32, int16, int8, uint64, uint32, uint16, uint8, and bool."
    )


def shared(array: np.ndarray) -> np.ndarray:
    """The array, for a tensor that shares its memory; a UserWarning, once, if it is read-only."""
    if not array.flags.writeable:
        warn_once(
            "The given NumPy array is not writable, and PyTorch does not support non-writable tensors. This means "
            "writing to this tensor will result in undefined behavior. You may want to copy the array to protect its "
            "data or make it writable before converting it to a tensor. This type of warning will be suppressed for "
            "the rest of this program."
        )
    return known(array)


def from_python(data: Any, dtype: dtypes.dtype | None = None) -> np.ndarray:
    """An array from a number or nested sequences of numbers, in the dtype or the one torch would infer."""
    if isinstance(data, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{name_of_type(data)}'")
    shape = shape_of(data)
    dtype = dtype or dtype_of(data)
    entries: list = []
    if 0 not in shape and collect(data, shape, entries):
        warn_once(
            "Creating a tensor from a list of numpy.ndarrays is extremely slow. Please consider converting the list "
            "to a single numpy.ndarray with numpy.array() before converting to a tensor."
        )
    return array_from(entries, dtype).reshape(shape)


def is_sequence(value: object) -> bool:
    """True for anything with a length and numbered entries; a tensor counts as one number."""
    return hasattr(type(value), "__getitem__") and not isinstance(value, (Tensor, dict, np.generic))


def shape_of(data: Any) -> list[int]:
    """The lengths of nested sequences, taken from the first at each level. ValueError for a string among them."""
    shape: list[int] = []
    while is_sequence(data):
        if isinstance(data, (str, bytes)):
            raise ValueError(f"too many dimensions '{name_of_type(data)}'")
        shape.append(len(data))
        if not shape[-1]:
            break
        data = data[0]
    return shape


def dtype_of(data: Any) -> dtypes.dtype:
    """The smallest dtype for everything in nested sequences. TypeError or RuntimeError for what is not a number."""
    if isinstance(data, (np.ndarray, np.generic)):
        demand_known(data.dtype)
        return dtypes.OF_NUMPY[data.dtype]
    if isinstance(data, (bool, int, float)):
        return dtypes.of_number(data)
    if isinstance(data, Tensor):
        return data.dtype
    if isinstance(data, complex):
        raise NotImplementedError("minigrad has no complex numbers")
    if isinstance(data, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{name_of_type(data)}'")
    if not is_sequence(data):
        raise RuntimeError(f"Could not infer dtype of {name_of_type(data)}")
    kinds = set(map(type, data))
    if kinds <= dtypes.PYTHON:  # the ordinary case, at the speed of C
        return dtypes.default() if float in kinds or not kinds else dtypes.int64 if int in kinds else dtypes.bool_
    return functools.reduce(dtypes.joined, map(dtype_of, data))


def collect(data: Any, shape: list[int], entries: list, axis: int = 0) -> bool:
    """Append the numbers of nested sequences, row by row; True if arrays are inside. ValueError for a ragged one."""
    if not shape:
        entries.append(data)
        return False
    try:
        row = list(data)
    except TypeError:
        raise TypeError("not a sequence") from None
    if len(row) != shape[axis]:
        raise ValueError(f"expected sequence of length {shape[axis]} at dim {axis} (got {len(row)})")
    if axis == len(shape) - 1:
        entries.extend(row)
        return False
    arrays = [collect(item, shape, entries, axis + 1) or isinstance(item, np.ndarray) for item in row]
    return any(arrays)


def array_from(entries: list, dtype: dtypes.dtype) -> np.ndarray:
    """The entries in one dtype. TypeError, ValueError or RuntimeError for one that does not fit."""
    kinds = set(map(type, entries))
    ordinary = kinds <= dtypes.PYTHON
    if dtype.is_floating_point:
        return dtypes.cast(
            np.array(entries if ordinary else [real(entry) for entry in entries], np.float64), dtype.numpy
        )
    if dtype.kind == dtypes.BOOL:
        if kinds != {bool}:
            entries = [
                bool(entry if isinstance(entry, (float, np.bool_)) else operator.index(entry)) for entry in entries
            ]
        return np.array(entries, bool)
    if kinds == {int}:  # at the speed of C, unless there is something to refuse
        with contextlib.suppress(OverflowError):
            array = np.array(entries, np.int64)
            limits = np.iinfo(dtype.numpy)
            if limits.min <= array.min() and array.max() <= limits.max:
                return array.astype(dtype.numpy, copy=False)
    whole = [whole_number(entry, dtype) for entry in entries]
    return np.array(whole, np.uint64).astype(dtype.numpy)


def real(value: Any) -> float:
    """A float. TypeError for anything that is not a real number; float() alone would parse strings."""
    if isinstance(value, (str, bytes, complex)) or not (hasattr(value, "__float__") or hasattr(value, "__index__")):
        raise TypeError(f"must be real number, not {name_of_type(value)}")
    return float(value)


def whole_number(value: Any, dtype: dtypes.dtype) -> int:
    """The integer part of a number, modulo 2⁶⁴. TypeError, ValueError or RuntimeError where the dtype has no room."""
    if not isinstance(value, float):
        value = operator.index(value)
        if not -(2**63) <= value < 2**63:
            raise ValueError("Overflow when unpacking long long")
    dtypes.demand_room_for(value, dtype, dtype.name)
    return int(value) % 2**64
