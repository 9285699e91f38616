"""What a dtype can hold, `finfo` and `iinfo`, and the common dtype of two. The rules for that are
in `dtypes`; here a program asks about them.
Mirrors https://docs.pytorch.org/docs/stable/type_info.html and
https://docs.pytorch.org/docs/stable/tensor_attributes.html#type-promotion-doc
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.compat import dtypes
from minigrad.ops.argument_parser import accepts
from minigrad.tensor import Tensor


class _Info:
    """Shared by `finfo` and `iinfo`: a number of bits, a name, a smallest and a largest number."""

    __hash__ = None  # type: ignore[assignment]  # as in torch

    def __init__(self, of: dtypes.dtype, limits: Any):
        self.bits, self.dtype = limits.bits, of.name
        self.min, self.max = limits.dtype.type(limits.min).item(), limits.dtype.type(limits.max).item()

    def __eq__(self, other: object) -> bool:
        return other.__class__ is self.__class__ and other.dtype == self.dtype


class finfo(_Info):
    """The limits of a floating dtype, the default one if none is given. TypeError for any other. `eps` is the step from
    1 to the next number, `tiny` (also `smallest_normal`) the smallest positive number of full precision, `resolution`
    one unit of the last decimal digit that is surely right.
    """

    __module__ = "torch"

    def __init__(self, type: dtypes.dtype | None = None):
        of = type or dtypes.default()
        if of.kind != dtypes.FLOATING:
            asked = "requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'"
            raise TypeError(f"torch.finfo() {asked}")
        limits = np.finfo(of.numpy)
        super().__init__(of, limits)
        self.eps, self.tiny = limits.eps.item(), limits.tiny.item()
        self.smallest_normal = self.tiny
        self.resolution = 10.0**-limits.precision

    def __repr__(self) -> str:
        names = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")
        return f"finfo({', '.join([f'{name}={getattr(self, name):g}' for name in names])}, dtype={self.dtype})"


class iinfo(_Info):
    """The limits of an integer dtype. TypeError for any other."""

    __module__ = "torch"

    def __init__(self, type: dtypes.dtype):
        if type.kind != dtypes.INTEGER:
            raise TypeError("torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'")
        super().__init__(type, np.iinfo(type.numpy))

    def __repr__(self) -> str:
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"


def result_type(tensor: Any, other: Any) -> dtypes.dtype:
    """The dtype in which an operation of two tensors, or of a tensor and a number, computes."""
    return dtypes.result_type(*[each._array if isinstance(each, Tensor) else each for each in (tensor, other)])


@accepts("torch.dtype type1, torch.dtype type2")
def promote_types(type1: dtypes.dtype, type2: dtypes.dtype) -> dtypes.dtype:
    """The smallest dtype of the higher kind that holds both."""
    return dtypes.joined(type1, type2)
