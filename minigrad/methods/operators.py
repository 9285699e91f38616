"""The other operators of Tensor (`+` and `*` are in `scalar`), and the methods of the graph.

Each looks up its chapter's function when called: `scalar.Sub.apply` below uses whichever Sub is in the module at that
moment, including a part that replaces ours.

Mirrors https://docs.pytorch.org/docs/stable/torch.html#pointwise-ops
"""

from __future__ import annotations

import importlib
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad import leaf, scalar
from minigrad.arithmetic import errstate
from minigrad.compat import checks, dtypes, messages, typenames
from minigrad.graph import hooks, nodes, state
from minigrad.methods import saved_attributes as saved_attributes
from minigrad.ops import comparison, elementary, indexing, linalg, pointwise
from minigrad.ops import memory as memory
from minigrad.ops import reduction as reduction
from minigrad.ops import subclasses as subclasses
from minigrad.passing import inplace, passes
from minigrad.recording import saved
from minigrad.tensor import Tensor, is_operand

_set_state, _reset, _IGNORE = errstate.STATE.set, errstate.STATE.reset, errstate.IGNORE


def _operator(operation: Callable, *, swapped: bool = False) -> Callable:
    """An operation as an operator; for anything but a Tensor or a number, the other operand gets a try."""

    def operate(self: Tensor, other: Any) -> Tensor:
        if not is_operand(other):
            return NotImplemented
        other = dtypes.plain(other)
        return operation(other, self) if swapped else operation(self, other)

    return operate


def _changing(operation: Callable, plainly: Callable | None = None) -> Callable:
    """An operation as an operator that changes its left operand; `plainly` is Python's operator for arrays."""

    def operate(self: Tensor, other: Any) -> Tensor:
        bare = self._requires_grad and not leaf.recording and type(other) is Tensor and state.before_change is None
        if plainly and bare and nodes.prepare:
            a, b = self._array, other._array
            if type(a) is type(b) and a.dtype is b.dtype and a.base is None and b.base is None:
                # a step of gradient descent: no node, nothing to convert, no memory of another tensor
                token = _set_state(_IGNORE)
                try:
                    self._array = plainly(a, b)
                    (self._counter or leaf.counter(self))[0] += 1
                    return self
                except ValueError:
                    pass  # the shapes do not fit: the error comes below
                finally:
                    _reset(token)
        return inplace.change(self, operation, dtypes.plain(other)) if is_operand(other) else NotImplemented

    return operate


def _equal(self: Tensor, other: Any) -> Tensor:
    if isinstance(other, np.ndarray) and other.dtype.kind in "buif":
        other = Tensor._of(other)  # torch accepts an array only here
    return comparison.eq(self, other) if is_operand(other) else NotImplemented


def _divided_into(self: Tensor, other: Any) -> Tensor:
    fits = isinstance(other, np.ndarray) or is_operand(other)
    return elementary.operations["reciprocal"](self) * other if fits else NotImplemented


def _power(self: Tensor, other: Any) -> Tensor:
    kind = type(other)
    return pointwise.pow(self, other) if kind is int or kind is float or is_operand(other) else NotImplemented


def _minus(self: Tensor, other: Any) -> Tensor:
    kind = type(other)
    floating = self._array.dtype.kind == "f"
    if floating and (other._array.dtype.kind == "f" if kind is Tensor else kind is float or kind is int):
        return scalar.Sub.apply(self, other)  # no check needed
    return pointwise.sub(self, other) if is_operand(other) else NotImplemented


def _set(self: Tensor, index: object, value: object) -> None:
    if not is_operand(value) or isinstance(value, (np.float32, np.float16, np.bool_)):  # torch takes np.float64
        raise TypeError(f"can't assign a {typenames.name_of_type(value)} to a {self.dtype.tensor_type}")
    indexing.assign(self, index, value)


Tensor.__sub__, Tensor.__matmul__ = _minus, linalg.matmul
Tensor.__rmatmul__ = _operator(linalg.matmul, swapped=True)
Tensor.__getitem__, Tensor.__setitem__ = (lambda self, index: indexing.get(self, index)), _set
Tensor.__pow__, Tensor.__rtruediv__ = _power, _divided_into
Tensor.__neg__, Tensor.__abs__ = pointwise.neg, elementary.operations["abs"]
Tensor.__truediv__, Tensor.__rpow__ = _operator(pointwise.div), _operator(pointwise.rpow)
Tensor.__rsub__ = _operator(pointwise.rsub)
for _name, _operation in {"eq": _equal, "pos": pointwise.positive, "invert": comparison.invert}.items():
    setattr(Tensor, f"__{_name}__", _operation)
for _name in ("ne", "lt", "le", "gt", "ge"):
    setattr(Tensor, f"__{_name}__", _operator(getattr(comparison, _name)))
for _name, _operation in {
    "floordiv": pointwise.floor_divide,
    "mod": pointwise.remainder,
    "and": comparison.bitwise_and,
    "or": comparison.bitwise_or,
    "xor": comparison.bitwise_xor,
    "lshift": comparison.bitwise_left_shift,
    "rshift": comparison.bitwise_right_shift,
}.items():
    setattr(Tensor, f"__{_name}__", _operator(_operation))
    setattr(Tensor, f"__r{_name}__", _operator(_operation, swapped=True))
    setattr(Tensor, f"__i{_name}__", _changing(_operation))
Tensor.__iadd__, Tensor.__isub__ = _changing(pointwise.add, operator.iadd), _changing(pointwise.sub, operator.isub)
Tensor.__imul__, Tensor.__ipow__ = _changing(pointwise.mul, operator.imul), _changing(pointwise.pow, operator.ipow)
Tensor.__itruediv__ = _changing(pointwise.div, operator.itruediv)


def retain_grad(self: Tensor) -> None:
    """Keep the gradient of this non-leaf in `.grad`; does nothing for a leaf."""
    leaf.retain_grad(self)


def detach(self: Tensor) -> Tensor:
    """The same memory, outside the graph: a constant."""
    return leaf.detach(self)


def numpy(self: Tensor, *, force: bool = False) -> np.ndarray:
    """The memory itself as a numpy array. RuntimeError, while operations are recorded, for a tensor that requires
    grad, unless `force`.
    """
    if self.requires_grad and leaf.recording and not force:
        raise RuntimeError(messages.NUMPY)
    return self._memory()


def __dlpack__(self: Tensor, **settings: Any) -> Any:
    """The memory as a capsule, for other libraries; see `ops.dlpack`, which few programs need."""
    return importlib.import_module("minigrad.ops.dlpack").exported(self, **settings)


def __dlpack_device__(self: Tensor) -> tuple:
    """The device, as DLPack numbers it."""
    return importlib.import_module("minigrad.ops.dlpack").DLDeviceType.kDLCPU, 0


def _float(self: Tensor) -> float:
    if leaf.recording and self.requires_grad:
        messages.warn_once(messages.TO_SCALAR)
    return float(self._number())


def _wrapped(self: Tensor, array: np.ndarray) -> Tensor:  # as torch has it, so numpy warns as it does there
    return Tensor._of(array.astype(np.uint8) if array.dtype == bool else array)


Tensor.__float__, Tensor.__array_wrap__ = _float, _wrapped
Tensor.is_leaf = property(lambda self: leaf.is_leaf(self), doc="True if no node made it, or if it needs no gradient.")
setattr(Tensor, "grad_dtype", property(checks.grad_dtype, checks.set_grad_dtype, doc=checks.grad_dtype.__doc__))  # noqa: B010
Tensor.retains_grad = property(hooks.keeps, doc="True for a non-leaf that keeps its gradient.")
_methods: tuple[Callable, ...] = (
    __dlpack__,
    __dlpack_device__,
    retain_grad,
    detach,
    numpy,
    passes.backward,
    saved.detach_,
    checks.requires_grad_,
)
for _method in (*_methods, hooks.register_hook, hooks.register_post_accumulate_grad_hook):
    _method.__qualname__ = f"Tensor.{_method.__name__}"
    setattr(Tensor, _method.__name__, _method)
