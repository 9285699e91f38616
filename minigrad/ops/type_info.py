"""What a dtype can hold, `finfo` and `iinfo`, and in which dtype two of them meet.

The rules of the meeting itself are in `dtypes`; here a program asks about them.

Mirrors https://docs.pytorch.org/docs/stable/type_info.html and
https://docs.pytorch.org/docs/stable/tensor_attributes.html#type-promotion-doc
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.compat import dtypes
from minigrad.ops.signatures import accepts
from minigrad.tensor import Tensor


class _Info:
    """What `finfo` and `iinfo` share: a number of bits, a name, a least and a greatest number."""

    __slots__ = ("bits", "dtype", "min", "max")
    __hash__ = None  # type: ignore[assignment]  # as in torch

    def __init__(self, of: dtypes.dtype, limits: Any):
        self.bits, self.dtype = limits.bits, of.name
        self.min, self.max = limits.dtype.type(limits.min).item(), limits.dtype.type(limits.max).item()

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.dtype == self.dtype


class finfo(_Info):
    """The limits of a floating dtype, the default one if none is given. TypeError for any other.

    `eps` is the step from 1 to the next number, `tiny` (also `smallest_normal`) the smallest positive number of full
    precision, `resolution` one unit of the last decimal digit that is surely right.

    >>> finfo(dtypes.float32).max, finfo(dtypes.float64).eps == 2.0**-52
    (3.4028234663852886e+38, True)
    """

    __module__ = "torch"
    __slots__ = ("eps", "tiny", "smallest_normal", "resolution")

    def __init__(self, *args: Any, **kwargs: Any):
        of = _asked(*args, **kwargs) or dtypes.default()
        if of.kind != dtypes.FLOATING:
            raise TypeError(
                "torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'"
            )
        limits = np.finfo(of.numpy)
        super().__init__(of, limits)
        self.eps, self.tiny = limits.eps.item(), limits.tiny.item()
        self.smallest_normal = self.tiny
        self.resolution = 10.0**-limits.precision

    def __repr__(self) -> str:
        names = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")
        return f"finfo({', '.join([f'{name}={getattr(self, name):g}' for name in names])}, dtype={self.dtype})"


class iinfo(_Info):
    """The limits of an integer dtype. TypeError for any other.

    >>> iinfo(dtypes.int8).min, iinfo(dtypes.int64).max
    (-128, 9223372036854775807)
    """

    __module__ = "torch"
    __slots__ = ()

    def __init__(self, *args: Any, **kwargs: Any):
        of = _asked_of_integers(*args, **kwargs)
        if of.kind == dtypes.FLOATING:
            raise TypeError("torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'")
        if of.kind == dtypes.BOOL:
            raise TypeError("torch.bool is not supported by torch.iinfo")
        super().__init__(of, np.iinfo(of.numpy))

    def __repr__(self) -> str:
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"


def _asking(name: str, *signatures: str) -> Any:
    """What reads the arguments of a class, as `accepts` reads those of a function."""

    def asked(type: dtypes.dtype | None = None) -> dtypes.dtype | None:
        return type

    asked.__name__ = name
    return accepts(*signatures)(asked)


_asked, _asked_of_integers = _asking("finfo", "torch.dtype type", ""), _asking("iinfo", "torch.dtype type")


# --- where two dtypes meet -----------------------------------------------------------------------


@accepts(
    "Tensor tensor, Tensor other",
    "Number scalar, Tensor tensor",
    "Tensor tensor, Number other",
    "Number scalar1, Number scalar2",
)
def result_type(
    tensor: Any = None, other: Any = None, scalar: Any = None, scalar1: Any = None, scalar2: Any = None
) -> dtypes.dtype:
    """The dtype in which an operation of two tensors, or of a tensor and a number, computes.

    >>> import minigrad as torch
    >>> result_type(torch.tensor([1, 2]), 1.0), result_type(torch.tensor([1.0]), torch.tensor(1.0, dtype=torch.float64))
    (torch.float32, torch.float32)
    """
    given = [each for each in (tensor, other, scalar, scalar1, scalar2) if each is not None]
    return dtypes.result_type(*[each._array if isinstance(each, Tensor) else each for each in given])


@accepts("torch.dtype type1, torch.dtype type2")
def promote_types(type1: dtypes.dtype, type2: dtypes.dtype) -> dtypes.dtype:
    """The smallest dtype of the higher kind that holds both.

    >>> promote_types(dtypes.int32, dtypes.float32), promote_types(dtypes.uint8, dtypes.int8)
    (torch.float32, torch.int16)
    """
    return dtypes.joined(type1, type2)


@accepts("torch.dtype from_, torch.dtype to")
def can_cast(from_: dtypes.dtype, to: dtypes.dtype) -> bool:
    """Whether a result of one dtype may be stored in another: never in one of a lower kind.

    >>> can_cast(dtypes.float64, dtypes.float32), can_cast(dtypes.float32, dtypes.int64)
    (True, False)
    """
    return from_.kind <= to.kind
