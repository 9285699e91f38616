"""The old constructors: `Tensor(2, 3)`, `FloatTensor([1, 2])`, `Variable(t, requires_grad=True)`. `torch.tensor` and
the factories have replaced them, but programs from 2017 and forum posts still use them.
Mirrors https://docs.pytorch.org/docs/stable/tensors.html#data-types and
https://docs.pytorch.org/docs/stable/autograd.html#variable-deprecated
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.compat import dtypes
from minigrad.compat.device import demand_cpu
from minigrad.compat.messages import warn
from minigrad.compat.typenames import name_of_type
from minigrad.ops import slicing
from minigrad.ops.argument_parser import Form, fitting
from minigrad.ops.creation import reading
from minigrad.ops.creation.factories import allocated, leaf_of
from minigrad.tensor import Size, Tensor

__all__ = ["BoolTensor", "ByteTensor", "CharTensor", "DoubleTensor", "FloatTensor", "HalfTensor", "IntTensor"]
__all__ += ["LongTensor", "ShortTensor"]

CPU = "*, torch.device device = None"
TEXTS = (CPU, "Tensor other", f"tuple of ints size, {CPU}", f"object data, {CPU}")
FORMS = [Form.read("new", text) for text in TEXTS]


def legacy(dtype: dtypes.dtype, values: tuple, keywords: dict, strictly: bool = True) -> Tensor:
    """The result of `Tensor(…)` for nothing, sizes, data, or a Tensor (sharing memory; `strictly` of this dtype)."""
    if len(values) == 1 and not keywords and isinstance(values[0], (list, tuple)) and not isinstance(values[0], Size):
        asked: dict = {"data": values[0]}  # a sequence is data, even if it could be sizes
    else:
        asked = fitting(FORMS, values, keywords)[1]
    demand_cpu(asked.get("device"))
    other = asked.get("other")
    if other is None:
        size = asked.get("size", (0,))
        return Tensor._of(of_data(asked["data"], dtype) if "data" in asked else allocated(size, dtype))
    if strictly and other.dtype is not dtype:
        raise TypeError(f"expected a tensor of {dtype}, got one of {other.dtype}")
    return slicing.Alias.apply(other)


def of_data(data: object, dtype: dtypes.dtype) -> np.ndarray:
    """The entries of a sequence in the given dtype: an array, lists of numbers, of Tensors with one entry."""
    if isinstance(data, np.ndarray):
        return data.astype(dtype.numpy)
    if not reading.is_sequence(data):
        raise TypeError(f"new(): data must be a sequence (got {name_of_type(data)})")
    return reading.from_python(data, dtype)


def _new(cls: type[Tensor], *values: object, **keywords: object) -> Tensor:
    made = legacy(dtypes.default(), values, keywords, strictly=False)
    return made if cls is Tensor else cls._of(made._array)


setattr(Tensor, "__new__", _new)  # noqa: B010


class tensortype(type):
    """The type of `FloatTensor` and the like: a Tensor is an instance of the one with its dtype."""

    __module__ = "torch"
    dtype: dtypes.dtype

    def __call__(cls, *values: object, **keywords: object) -> Tensor:
        return legacy(cls.dtype, values, keywords)

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Tensor) and instance.dtype is cls.dtype


def of_dtype(dtype: dtypes.dtype) -> type:
    """The old constructor for a dtype, such as `FloatTensor` for float32."""
    doc = f"The old constructor for {dtype.name}: from values, sizes, or a Tensor, whose memory it shares."
    return tensortype(f"{dtype.scalar_type}Tensor", (), {"__module__": "torch", "__doc__": doc, "dtype": dtype})


FloatTensor, DoubleTensor, HalfTensor = (of_dtype(item) for item in (dtypes.float32, dtypes.float64, dtypes.float16))
LongTensor, IntTensor, ShortTensor = (of_dtype(item) for item in (dtypes.int64, dtypes.int32, dtypes.int16))
CharTensor, ByteTensor, BoolTensor = (of_dtype(item) for item in (dtypes.int8, dtypes.uint8, dtypes.bool_))


class _VariableType(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Tensor)


class Variable(metaclass=_VariableType):
    """`Variable(t, requires_grad=False)`: a new leaf on the memory of t. Every Tensor is an instance of Variable.
    TypeError for data that is not a Tensor; a UserWarning for `volatile`, which has no effect.
    """

    __module__ = "torch.autograd.variable"

    def __new__(
        cls, data: object = None, requires_grad: bool = False, volatile: bool = False, name: str | None = None
    ) -> Any:
        if volatile:
            warn("volatile was removed and now has no effect. Use `with torch.no_grad():` instead.")
        if data is None:
            data = Tensor()
        if not isinstance(data, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {name_of_type(data)}")
        leaf = data.detach()
        leaf._requires_grad = leaf_of(leaf._array, requires_grad)._requires_grad
        return leaf
