"""The constructors of old: `Tensor(2, 3)`, `FloatTensor([1, 2])`, `Variable(t, requires_grad=True)`.

`torch.tensor` and the factories have taken their place; programs of 2017 still use them, and so do forum posts.

Mirrors https://docs.pytorch.org/docs/stable/tensors.html#data-types and
https://docs.pytorch.org/docs/stable/autograd.html#variable-deprecated
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.compat import dtypes
from minigrad.compat.messages import warn
from minigrad.compat.typenames import described, name_of_type
from minigrad.tensor import Size, Tensor

# --- Tensor(…) and its like ----------------------------------------------------------------------


def legacy(dtype: dtypes.dtype, /, *values: Any, **keywords: Any) -> Tensor:
    """What `Tensor(…)` makes: of nothing, of sizes, of data (a sequence), of another Tensor (the same memory).

    New memory has the given dtype; another Tensor keeps its own. TypeError for anything else.
    """
    from minigrad.ops.creation import factories  # here, because it builds on Tensor

    value = the_argument(values, keywords)
    if isinstance(value, Tensor):
        return alias(value)
    return Tensor._of(factories.allocated(value, dtype) if isinstance(value, Sizes) else of_data(value, dtype))


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
    from minigrad.ops import arguments, signatures  # here, because they build on Tensor

    keywords = dict(keywords)
    device = keywords.pop("device", None)
    if device is not None and str(device).partition(":")[0] != "cpu":
        raise RuntimeError(f"legacy constructor expects device type: cpu but device type: {device} was passed")
    if len(keywords) == 1 and not values and next(iter(keywords)) in ("data", "other", "size"):
        ((name, value),) = keywords.items()
        return Sizes(signatures.size_of("new", value)) if name == "size" else value
    if keywords:
        raise TypeError(refusal(values, keywords, f"some of the keywords were incorrect: {', '.join(keywords)}"))
    if not values:
        return Sizes((0,))
    if arguments.is_int(values[0]) and not (len(values) == 1 and isinstance(values[0], Tensor)):
        return Sizes(signatures.size_of("new", values))
    if len(values) > 1:
        kinds = ", ".join(f"!{described(each)}!" for each in values)
        raise TypeError(refusal(values, {}, f"some of the arguments have invalid types: ({kinds})"))
    return Sizes(values[0]) if isinstance(values[0], Size) else values[0]


def of_data(data: Any, dtype: dtypes.dtype) -> np.ndarray:
    """The entries of a sequence in the given dtype: an array, lists of numbers, of Tensors with one entry."""
    from minigrad.ops.creation import data as reading  # here, because it builds on Tensor

    if isinstance(data, np.ndarray):
        return data.astype(dtype.numpy)
    if not reading.is_sequence(data):
        raise TypeError(f"new(): data must be a sequence (got {name_of_type(data)})")
    return reading.from_python(data, dtype)


def alias(tensor: Tensor) -> Tensor:
    """Another Tensor on the same memory, in the same graph."""
    from minigrad.ops import slicing  # here, because it builds on Tensor

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
                raise TypeError(f"'{name_of_type(flag)}' object cannot be interpreted as an integer")
        if volatile:
            warn("volatile was removed and now has no effect. Use `with torch.no_grad():` instead.")
        if data is None:
            data = Tensor._of(np.zeros(0, dtypes.default().numpy))
        if not isinstance(data, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {name_of_type(data)}")
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
