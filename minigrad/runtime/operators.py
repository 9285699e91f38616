"""The operators of Tensor, and the methods that belong to the graph: each looks its chapter's function up when called.

`scalar.Mul.apply` below means the Mul that stands in the module at that moment; so a part that replaces it is used.

Mirrors https://docs.pytorch.org/docs/stable/torch.html#pointwise-ops
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad import leaf, scalar
from minigrad.compat import checks, dtypes, errstate, messages, typenames
from minigrad.compat.tensor_protocols import alone
from minigrad.ops import (  # noqa: F401
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
from minigrad.runtime import hooks, inplace, passes, saved, saved_attributes  # noqa: F401
from minigrad.tensor import Tensor, is_operand

_set_state, _reset, _IGNORE = errstate.STATE.set, errstate.STATE.reset, errstate.IGNORE


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
                token = _set_state(_IGNORE)
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


def _plus(self: Tensor, other: Any) -> Any:
    if type(other) is Tensor or is_operand(other):
        return scalar.Add.apply(self, other)
    return NotImplemented


def _times(self: Tensor, other: Any) -> Any:
    if type(other) is Tensor or type(other) is float or is_operand(other):
        return scalar.Mul.apply(self, other)
    return NotImplemented


def _minus(self: Tensor, other: Any) -> Any:
    kind = type(other)
    floating = self._array.dtype.kind == "f"
    if floating and (other._array.dtype.kind == "f" if kind is Tensor else kind is float or kind is int):
        return scalar.Sub.apply(self, other)  # nothing to refuse
    return pointwise.sub(self, other) if is_operand(other) else NotImplemented


def _matmul(self: Tensor, other: Any) -> Any:
    return linalg.matmul(self, other) if isinstance(other, Tensor) else NotImplemented


def _set(self: Tensor, index: Any, value: Any) -> None:
    if not is_operand(value) or isinstance(value, (np.float32, np.float16, np.bool_)):  # torch takes np.float64
        raise TypeError(f"can't assign a {typenames.name_of_type(value)} to a {self.dtype.tensor_type}")
    indexing.assign(self, index, value)


Tensor.__add__ = Tensor.__radd__ = _plus
Tensor.__mul__ = Tensor.__rmul__ = _times
Tensor.__sub__, Tensor.__matmul__ = _minus, _matmul
Tensor.__getitem__, Tensor.__setitem__ = (lambda self, index: indexing.get(self, index)), _set
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
for _sign, _operation in (("eq", _equal), ("rtruediv", _divided_into), ("pow", _power)):
    setattr(Tensor, f"__{_sign}__", _operation)


# --- the graph -----------------------------------------------------------------------------------


def retain_grad(self: Tensor) -> None:
    """Keep the gradient of this non-leaf in `.grad`; nothing new for a leaf."""
    leaf.retain_grad(self)


def detach(self: Tensor) -> Tensor:
    """The same memory, outside the graph: a constant."""
    return leaf.detach(self)


def detach_(self: Tensor) -> Tensor:
    """Cut this tensor itself from the graph: it is a leaf from now on. RuntimeError for a view."""
    return saved.detach_(self)


def requires_grad_(self: Tensor, requires_grad: bool = True) -> Tensor:
    """Ask for a gradient, or no longer. RuntimeError for a non-leaf, and for integers and bools."""
    return checks.requires_grad_(self, requires_grad)


def backward(
    self: Tensor, gradient: Any = None, retain_graph: bool | None = None, create_graph: bool = False, inputs: Any = None
) -> None:
    """Fill the `.grad` of every leaf below with vᵀJ; v is `gradient`, or 1 for one element."""
    passes.backward(self, gradient, retain_graph, create_graph, inputs)


def register_hook(self: Tensor, hook: Callable) -> Any:
    """Call `hook(grad)` whenever the gradient of this tensor is complete; it may return another one."""
    return hooks.register_hook(self, hook)


def register_post_accumulate_grad_hook(self: Tensor, hook: Callable) -> Any:
    """Call `hook(tensor)` each time this leaf has accumulated a gradient."""
    return hooks.register_post_accumulate_grad_hook(self, hook)


def numpy(self: Tensor, *, force: bool = False) -> np.ndarray:
    """The memory itself as a numpy array. RuntimeError, while operations are recorded, for a tensor that requires
    grad, unless `force`.
    """
    if self.requires_grad and leaf.recording and not force:
        raise RuntimeError(messages.NUMPY)
    return self._memory()


def _float(self: Tensor) -> float:
    if leaf.recording and self.requires_grad:
        messages.warn_once(messages.TO_SCALAR)
    return float(self._number())


def _wrapped(self: Tensor, array: np.ndarray) -> Any:  # as torch has it, so numpy warns as it does there
    return Tensor._of(array.astype(np.uint8) if array.dtype == bool else array)


Tensor.__float__, Tensor.__array_wrap__ = _float, _wrapped
Tensor.is_leaf = property(lambda self: leaf.is_leaf(self), doc="True if no node made it, or if it needs no gradient.")
Tensor.retains_grad = property(hooks.keeps, doc="True for a non-leaf that keeps its gradient.")
for _method in (alone(retain_grad), alone(detach), alone(detach_), requires_grad_, backward, numpy):
    _method.__qualname__ = f"Tensor.{_method.__name__}"
    setattr(Tensor, _method.__name__, _method)
for _method in (register_hook, register_post_accumulate_grad_hook):
    setattr(Tensor, _method.__name__, _method)
