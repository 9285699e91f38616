"""Python's operators on a Tensor, besides those of the first chapter: what `x - 1`, `x > y`, `x += y`, `x[0]` call.

Mirrors https://docs.pytorch.org/docs/stable/torch.html#pointwise-ops
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad import leaf, scalar
from minigrad.compat import dtypes, errstate
from minigrad.compat.typenames import name_of_type
from minigrad.ops import (  # noqa: F401  (for what they attach)
    comparison,
    conversion,
    division,
    indexing,
    linalg,
    memory,
    pointwise,
    powers,
    reduction,
    rounding,
)
from minigrad.runtime import inplace
from minigrad.tensor import Tensor, is_operand

_set, _reset, _IGNORE = errstate.STATE.set, errstate.STATE.reset, errstate.IGNORE


def _operator(operation: Callable, *, swapped: bool = False) -> Callable:
    """An operation as an operator; with anything but a Tensor or a number the other operand may try."""

    def operate(self: Tensor, other: Any) -> Any:
        if not is_operand(other):
            return NotImplemented
        other = dtypes.plain(other)
        return operation(other, self) if swapped else operation(self, other)

    operate.__doc__ = operation.__doc__
    return operate


def _changing(operation: Callable, plainly: Callable | None = None) -> Callable:
    """An operation as an operator that changes its left operand; `plainly` is how Python does it to an array."""

    def operate(self: Tensor, other: Any) -> Any:
        if plainly and self._requires_grad and not leaf.recording and type(other) is Tensor:
            a, b = self._array, other._array
            if type(a) is type(b) and a.dtype is b.dtype and a.base is None and b.base is None:
                # a step of gradient descent: no node, nothing to convert, no memory of another tensor
                token = _set(_IGNORE)
                try:
                    self._array = plainly(a, b)
                    if self._counter is None:
                        self._counter = [1]
                    else:
                        self._counter[0] += 1
                    return self
                except ValueError:
                    pass  # the shapes do not meet: said below
                finally:
                    _reset(token)
        return inplace.change(self, operation, dtypes.plain(other)) if is_operand(other) else NotImplemented

    operate.__doc__ = operation.__doc__
    return operate


def _subtracted(self: Tensor, other: Any) -> Any:
    kind = type(other)
    floating = self._array.dtype.kind == "f"
    if floating and (other._array.dtype.kind == "f" if kind is Tensor else kind is float or kind is int):
        return scalar.Sub.node.apply2(self, other)  # nothing to refuse
    return pointwise.sub(self, other) if is_operand(other) else NotImplemented


def _multiplied(self: Tensor, other: Any) -> Any:
    return linalg.matmul(self, other) if isinstance(other, Tensor) else NotImplemented


def _assign(self: Tensor, index: Any, value: Any) -> None:
    if not is_operand(value) or isinstance(value, (np.float32, np.float16, np.bool_)):  # torch takes np.float64
        raise TypeError(f"can't assign a {name_of_type(value)} to a {self.dtype.tensor_type}")
    indexing.assign(self, index, value)


def _equal(self: Tensor, other: Any) -> Any:
    if isinstance(other, np.ndarray) and other.dtype.kind in "buif":
        other = Tensor._of(other)  # torch takes an array here, and nowhere else
    return comparison.eq(self, other) if is_operand(other) else NotImplemented


def _divided_into(self: Tensor, other: Any) -> Any:
    fits = isinstance(other, np.ndarray) or is_operand(other)
    return pointwise.reciprocal(self) * other if fits else NotImplemented


def _power(self: Tensor, other: Any) -> Any:
    kind = type(other)
    return powers.pow(self, other) if kind is int or kind is float or is_operand(other) else NotImplemented


for _sign, _operation in (
    ("truediv", division.div),
    ("rsub", pointwise.rsub),
    ("rpow", powers.rpow),
    ("ne", comparison.ne),
    ("lt", comparison.lt),
    ("le", comparison.le),
    ("gt", comparison.gt),
    ("ge", comparison.ge),
):
    setattr(Tensor, f"__{_sign}__", _operator(_operation))
for _sign, _operation in (
    ("floordiv", division.floor_divide),
    ("mod", division.remainder),
    ("and", comparison.bitwise_and),
    ("or", comparison.bitwise_or),
    ("xor", comparison.bitwise_xor),
    ("lshift", comparison.bitwise_left_shift),
    ("rshift", comparison.bitwise_right_shift),
):
    setattr(Tensor, f"__{_sign}__", _operator(_operation))
    setattr(Tensor, f"__r{_sign}__", _operator(_operation, swapped=True))
    setattr(Tensor, f"__i{_sign}__", _changing(_operation))
for _sign, _operation, _plainly in (
    ("add", pointwise.add, operator.iadd),
    ("sub", pointwise.sub, operator.isub),
    ("mul", pointwise.mul, operator.imul),
    ("truediv", division.div, operator.itruediv),
    ("pow", powers.pow, operator.ipow),
):
    setattr(Tensor, f"__i{_sign}__", _changing(_operation, _plainly))
for _sign, _of_one in (
    ("neg", pointwise.neg),
    ("abs", rounding.absolute),
    ("pos", pointwise.positive),
    ("invert", comparison.invert),
):
    setattr(Tensor, f"__{_sign}__", _of_one)
for _sign, _operation in (
    ("sub", _subtracted),
    ("matmul", _multiplied),
    ("eq", _equal),
    ("rtruediv", _divided_into),
    ("pow", _power),
    ("getitem", indexing.get),
    ("setitem", _assign),
):
    setattr(Tensor, f"__{_sign}__", _operation)
