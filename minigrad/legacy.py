"""The constructors of old: `Tensor(2, 3)`, `FloatTensor([1, 2])`, `Variable(t, requires_grad=True)`.

`torch.tensor` and the factories have taken their place; programs of 2017 still use them, and so do forum posts.

Mirrors https://docs.pytorch.org/docs/stable/tensors.html#data-types and
https://docs.pytorch.org/docs/stable/autograd.html#variable-deprecated
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.tensor import Size, Tensor

# --- Tensor(…) and its like ----------------------------------------------------------------------


def legacy(dtype: dtypes.dtype, /, *values: Any, **keywords: Any) -> Tensor:
    """What `Tensor(…)` makes: of nothing, of sizes, of data (a sequence), of another Tensor (the same memory).

    New memory has the given dtype; another Tensor keeps its own. TypeError for anything else.
    """
    value = the_argument(values, keywords)
    if isinstance(value, Tensor):
        return alias(value)
    if isinstance(value, Sizes):
        return Tensor._of(np.zeros(value, dtype.numpy))
    return Tensor._of(of_data(value, dtype))


class tensortype(type):
    """The type of `FloatTensor` and its like: a Tensor is an instance of the one that has its dtype."""

    __module__ = "torch"
    dtype: dtypes.dtype

    def __call__(cls, *values: Any, **keywords: Any) -> Tensor:
        source = the_argument(values, keywords)
        if isinstance(source, Tensor) and source.dtype is not cls.dtype:
            raise TypeError(f"expected {options(cls.dtype)} (got {options(source.dtype)})")
        return legacy(cls.dtype, *values, **keywords)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and instance.dtype is cls.dtype


def of_dtype(dtype: dtypes.dtype) -> Any:
    """The constructor of old for a dtype, as `FloatTensor` for float32."""
    doc = f"The constructor of old for {dtype.name}: of values, of sizes, or of a Tensor, whose memory it shares."
    return tensortype(f"{dtype.scalar_type}Tensor", (), {"__module__": "torch", "__doc__": doc, "dtype": dtype})


FloatTensor, DoubleTensor, HalfTensor = (of_dtype(each) for each in (dtypes.float32, dtypes.float64, dtypes.float16))
LongTensor, IntTensor, ShortTensor = (of_dtype(each) for each in (dtypes.int64, dtypes.int32, dtypes.int16))
CharTensor, ByteTensor, BoolTensor = (of_dtype(each) for each in (dtypes.int8, dtypes.uint8, dtypes.bool_))


class Sizes(tuple):
    """The shape of a Tensor to be made, as against the entries of one."""


def the_argument(values: tuple, keywords: dict) -> Any:
    """What is to become a Tensor: another Tensor, `Sizes`, or data. TypeError for arguments that do not belong."""
    keywords = dict(keywords)
    device = keywords.pop("device", None)
    if device is not None and str(device).partition(":")[0] != "cpu":
        raise RuntimeError(f"legacy constructor expects device type: cpu but device type: {device} was passed")
    if len(keywords) == 1 and not values and next(iter(keywords)) in ("data", "other", "size"):
        ((name, value),) = keywords.items()
        return Sizes(integer(each, place) for place, each in enumerate(value, 1)) if name == "size" else value
    if keywords:
        raise TypeError(refusal(values, keywords, f"some of the keywords were incorrect: {', '.join(keywords)}"))
    if not values:
        return Sizes((0,))
    if is_integer(values[0]) and not (len(values) == 1 and isinstance(values[0], Tensor)):
        sizes = Sizes(integer(each, place) for place, each in enumerate(values, 1))
        if min(sizes) < 0:
            negative = next(each for each in sizes if each < 0)
            raise RuntimeError(f"Trying to create tensor with negative dimension {negative}: {list(sizes)}")
        return sizes
    if len(values) > 1:
        kinds = ", ".join(f"!{described(each)}!" for each in values)
        raise TypeError(refusal(values, {}, f"some of the arguments have invalid types: ({kinds})"))
    return Sizes(values[0]) if isinstance(values[0], Size) else values[0]


def of_data(data: Any, dtype: dtypes.dtype) -> np.ndarray:
    """The entries of a sequence in the given dtype: an array, lists of numbers, of Tensors with one entry."""
    if isinstance(data, np.ndarray):
        return data.astype(dtype.numpy)
    if isinstance(data, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type(data).__name__}'")
    if not isinstance(data, Sequence):
        raise TypeError(f"new(): data must be a sequence (got {typename(data)})")
    shape, level = [], data
    while isinstance(level, Sequence) and not isinstance(level, (str, bytes)):
        shape.append(len(level))
        if not level:
            break
        level = level[0]
    if isinstance(level, (str, bytes)):
        raise ValueError(f"too many dimensions '{type(level).__name__}'")
    numbers = [converted(each, dtype) for each in entries(data, tuple(shape), 0)]
    return np.array(numbers, dtype.numpy).reshape(shape)


def entries(data: Any, shape: tuple[int, ...], axis: int) -> list:
    """The entries of nested sequences, row by row. ValueError where a row has another length."""
    if axis == len(shape):
        return [data]
    if not isinstance(data, Sequence):
        raise TypeError("not a sequence")
    if len(data) != shape[axis]:
        raise ValueError(f"expected sequence of length {shape[axis]} at dim {axis} (got {len(data)})")
    return [entry for each in data for entry in entries(each, shape, axis + 1)]


def converted(number: Any, dtype: dtypes.dtype) -> Any:
    """One entry as a Python number for the dtype: cut to an integer where the dtype has only those."""
    if isinstance(number, Tensor):
        number = number._number()
    if not isinstance(number, (bool, int, float, np.generic)):
        raise TypeError(f"must be real number, not {typename(number)}")
    if dtype.kind == dtypes.BOOL:
        return bool(number)
    if dtype.kind == dtypes.FLOATING:
        with np.errstate(over="ignore"):
            return dtype.numpy.type(float(number))
    if not np.isfinite(number):
        raise RuntimeError(f"value cannot be converted to type {dtype.name} without overflow")
    whole, bounds = int(number), np.iinfo(dtype.numpy)
    if not -(2**63) <= whole < 2**63:
        raise ValueError("Overflow when unpacking long long")
    if whole > bounds.max or (whole < bounds.min and bounds.min < 0):
        raise RuntimeError(f"value cannot be converted to type {dtype.name} without overflow")
    return whole % (bounds.max + 1) if bounds.min == 0 else whole


def alias(tensor: Tensor) -> Tensor:
    """Another Tensor on the same memory, in the same graph."""
    from minigrad.operations import slicing  # here, because it builds on Tensor

    return slicing.Alias.apply(tensor)


# --- torch's words -------------------------------------------------------------------------------


def refusal(values: tuple, keywords: dict, reason: str) -> str:
    """The TypeError's text for arguments that fit no way of calling the constructor."""
    given = [described(each, shortly=True) for each in values]
    given += [f"{name}={described(each, shortly=True)}" for name, each in keywords.items()]
    return (
        f"new() received an invalid combination of arguments - got ({', '.join(given)}), but expected one of:\n"
        " * (*, torch.device device = None)\n"
        f"      didn't match because {reason}\n"
        " * (torch.Storage storage)\n"
        " * (Tensor other)\n"
        " * (tuple of ints size, *, torch.device device = None)\n"
        " * (object data, *, torch.device device = None)\n"
    )


def described(value: Any, shortly: bool = False) -> str:
    """A value's type as torch writes it: `list of [int, int]`, or shortly `list`."""
    if isinstance(value, dtypes.dtype):
        return "torch.dtype"
    if shortly or not isinstance(value, (list, tuple)):
        return "torch.Size" if isinstance(value, Size) else typename(value)
    inner = ", ".join(typename(each) for each in value)
    name = described(value, shortly=True)
    return f"{name} of [{inner}]" if isinstance(value, list) else f"{name} of ({inner})"


def typename(value: Any) -> str:
    """A type as torch's messages name it: those of numpy with their module, every Tensor as Tensor."""
    if isinstance(value, Tensor):
        return "Tensor"
    name = type(value).__name__
    return f"numpy.{name}" if isinstance(value, (np.ndarray, np.generic)) else name


def is_integer(value: Any) -> bool:
    """True for what can be a size: an int, a number of numpy, a Tensor with one integer."""
    if isinstance(value, Tensor):
        return value.ndim == 0 and value.dtype.kind == dtypes.INTEGER
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def integer(value: Any, place: int) -> int:
    """A size as an int. TypeError that says at which place of the arguments it is none."""
    if is_integer(value) or (isinstance(value, bool) and place > 1):
        return int(value)
    raise TypeError(
        f"new(): argument 'size' failed to unpack the object at pos {place} with error \"type must be tuple of ints,"
        f'but got {typename(value)}"'
    )


def options(dtype: dtypes.dtype) -> str:
    """How torch writes down what kind of Tensor it means."""
    return (
        f"TensorOptions(dtype={dtype.cpp_name}, device=cpu, layout=Strided, requires_grad=false (default), "
        "pinned_memory=false (default), memory_format=(nullopt))"
    )


# --- Variable ------------------------------------------------------------------------------------


class _VariableType(type):
    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor)


class Variable(metaclass=_VariableType):
    """`Variable(t, requires_grad=False)`: a new leaf on the memory of t. Every Tensor is an instance of Variable.

    TypeError for data that is not a Tensor; a UserWarning for `volatile`, which has no effect.

    >>> import minigrad as torch
    >>> v = Variable(torch.ones(2), requires_grad=True)
    >>> v, isinstance(v, torch.Tensor), isinstance(torch.ones(1), Variable)
    (tensor([1., 1.], requires_grad=True), True, True)
    """

    __module__ = "torch.autograd.variable"

    def __new__(cls, data: Any = None, requires_grad: Any = False, volatile: Any = False, **others: Any) -> Any:
        for name in others:
            if name not in ("_grad_fn", "name"):
                raise TypeError(f"'{name}' is an invalid keyword argument for this function")
        for flag in (requires_grad, volatile):
            if not isinstance(flag, int):
                raise TypeError(f"'{typename(flag)}' object cannot be interpreted as an integer")
        if volatile:
            warnings.warn(
                "volatile was removed and now has no effect. Use `with torch.no_grad():` instead.",
                UserWarning,
                stacklevel=2,
            )
        if data is None:
            data = Tensor._of(np.zeros(0, dtypes.default().numpy))
        if not isinstance(data, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {typename(data)}")
        if requires_grad and not data.dtype.is_floating_point:
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        leaf = data.detach()
        leaf._requires_grad = bool(requires_grad)
        return leaf


__all__ = [
    "BoolTensor",
    "ByteTensor",
    "CharTensor",
    "DoubleTensor",
    "FloatTensor",
    "HalfTensor",
    "IntTensor",
    "LongTensor",
    "ShortTensor",
]
