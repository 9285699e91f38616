"""What Python and numpy ask of a Tensor: numbers, arrays, text, copies, pickles.

Nothing here is differentiated. `TensorBase` is the base of Tensor, as torch has one under the same name.

Mirrors https://docs.pytorch.org/docs/stable/tensors.html
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from minigrad.compat import dtypes, messages, pickling
from minigrad.compat.printing import tensor_text


def alone(method: Callable) -> Any:
    """A method that takes nothing. TypeError, in torch's words, for any argument."""

    @functools.wraps(method)
    def call(self: Any, *none: Any) -> Any:
        if none:
            raise TypeError(messages.takes_nothing(method.__name__, none))
        return method(self)

    return call


class TensorBase:
    """The methods of Tensor that lead out of the engine."""

    __slots__ = ()
    __module__ = "torch._C"  # where it is printed to be from

    if TYPE_CHECKING:  # what a Tensor has besides, and which operators `runtime.operators` attaches

        def __getattr__(self, name: str) -> Any: ...
        def __setattr__(self, name: str, value: Any) -> None: ...

        __new__: Any
        __add__: Any
        __radd__: Any
        __sub__: Any
        __mul__: Any
        __rmul__: Any
        __matmul__: Any
        __getitem__: Any
        __setitem__: Any
        __float__: Any
        __array_wrap__: Any
        __eq__: Any
        __ne__: Any
        __lt__: Any
        __gt__: Any
        __neg__: Any
        __truediv__: Any
        __rtruediv__: Any
        __rsub__: Any
        __pow__: Any

    @alone
    def item(self) -> Any:
        """The one entry as a Python number. RuntimeError for any other number of entries."""
        if self._array.size != 1:
            raise RuntimeError(f"a Tensor with {self._array.size} elements cannot be converted to Scalar")
        return self._array.item()

    @alone
    def tolist(self) -> Any:
        """The entries as nested lists of Python numbers; one number if there are no axes."""
        return self._array.tolist()

    def __array__(self, dtype: Any = None) -> np.ndarray:
        return np.asarray(self.numpy(), dtype)

    def __bool__(self) -> bool:
        if self._array.size != 1:
            adjective = "more than one value" if self._array.size else "no values"
            raise RuntimeError(f"Boolean value of Tensor with {adjective} is ambiguous")
        return bool(self._array.item())

    def _number(self) -> Any:
        if self._array.size != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        return self._array.item()

    def __int__(self) -> int:
        return int(self._number())

    def __index__(self) -> int:
        if self.dtype.is_floating_point or self._array.size != 1:
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(self._array.item())

    def __repr__(self) -> str:
        try:
            name = type(self.grad_fn).__name__ if self.grad_fn is not None else None
        except RuntimeError:  # a view that lost its source
            name = "Invalid"
        return tensor_text(self._array, requires_grad=self.requires_grad, grad_fn=name)

    def __format__(self, spec: str) -> str:
        if not self.ndim and TensorBase in type(self).__bases__:
            return format(self.item(), spec)
        return format(repr(self), spec) if not spec else object.__format__(self, spec)

    def __deepcopy__(self, memo: dict) -> Any:
        if not self.is_leaf:
            raise RuntimeError(messages.DEEPCOPY)
        import copy  # here, as few programs need it

        kind: Any = type(self)
        again = kind._of(np.array(self._array), self.requires_grad)
        memo[id(self)] = again
        again._grad = copy.deepcopy(self._grad, memo)
        again.__dict__.update(copy.deepcopy(self.__dict__, memo))
        return again

    def __reduce_ex__(self, protocol: Any) -> Any:
        """For `pickle` and `copy.copy`: the values without their graph; a flag stays."""
        kind = pickling.place(type(self))
        return _again, (*kind, self._memory(), self.requires_grad, self.__dict__)

    def __dir__(self) -> list[str]:
        return [name for name in object.__dir__(self) if hasattr(type(self), name) or name in self.__dict__]

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("len() of a 0-d tensor")
        return self._array.shape[0]

    def __contains__(self, value: Any) -> bool:
        if not isinstance(value, (TensorBase, *dtypes.NUMBERS)):
            raise RuntimeError(messages.CONTAINS.format(type(value)))
        return bool((self == value).any())

    def __reversed__(self) -> Any:
        return self.flip(0) if self.ndim else self

    def __iter__(self) -> Iterator[Any]:
        if not self.ndim:
            raise TypeError("iteration over a 0-d tensor")
        return iter(self.unbind())


def _again(home: str, name: str, array: np.ndarray, requires_grad: bool, attributes: dict) -> Any:
    """What was pickled."""
    found = pickling.found(home, name)._of(array, requires_grad)
    found.__dict__.update(attributes)
    return found
