"""What Python and numpy need from a Tensor: numbers, arrays, text, copies, pickles. Nothing here is differentiated.
Mirrors https://docs.pytorch.org/docs/stable/tensors.html
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from minigrad.compat import dtypes, messages, pickling
from minigrad.compat.printing import tensor_text


class Size(tuple):
    """A shape; prints as `torch.Size([2, 3])`."""

    __slots__ = ()
    __module__ = "torch"

    def __reduce__(self) -> Any:
        return pickling.restored, (*pickling.place(Size), tuple(self))

    def numel(self) -> int:
        """How many entries a tensor of this shape has."""
        return math.prod(self)

    def __repr__(self) -> str:
        return f"torch.Size({list(self)})"

    def __getitem__(self, index: Any) -> Any:
        part = tuple.__getitem__(self, index)
        return Size(part) if isinstance(index, slice) else part

    def __add__(self, other: Any) -> Size:
        return Size(tuple.__add__(self, other))

    def __radd__(self, other: tuple) -> Size:
        return Size(other + tuple(self))


class TensorBase:
    """The methods of Tensor that lead out of the engine."""

    __slots__ = ()
    __module__ = "torch._C"  # the module that torch prints

    if TYPE_CHECKING:  # a Tensor's other attributes, and the operators from `methods.operators`

        def __new__(cls, *args: Any, **kwargs: Any) -> Self: ...
        def __getattr__(self, name: str) -> Any: ...
        def __setattr__(self, name: str, value: object) -> None: ...

        _any: Any = None
        __getitem__ = __setitem__ = __float__ = __array_wrap__ = __eq__ = __ne__ = __lt__ = __gt__ = _any
        __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __pow__ = _any
        __matmul__ = __rmatmul__ = __neg__ = __pos__ = __abs__ = __invert__ = __rpow__ = __le__ = __ge__ = _any
        __iadd__ = __isub__ = __imul__ = __itruediv__ = __ipow__ = __delitem__ = _any
        is_leaf = retains_grad = _stack = _cat = _in_rows = _any

    def item(self) -> Any:
        """The one entry as a Python number. RuntimeError for any other number of entries."""
        if self._array.size != 1:
            raise RuntimeError(f"a Tensor with {self._array.size} elements cannot be converted to Scalar")
        return self._array.item()

    def tolist(self) -> Any:
        """The entries as nested lists of Python numbers; one number if there are no axes."""
        return self._array.tolist()

    def __array__(self, dtype: np.dtype | None = None) -> np.ndarray:
        return np.asarray(self.numpy(), dtype)

    def __bool__(self) -> bool:
        if self._array.size != 1:
            adjective = "more than one value" if self._array.size else "no values"
            raise RuntimeError(f"Boolean value of Tensor with {adjective} is ambiguous")
        return bool(self._array.item())

    def _number(self) -> bool | int | float:
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
        kind = "tensor" if type(self).__module__.startswith("torch") else type(self).__name__
        return tensor_text(self._array, requires_grad=self.requires_grad, grad_fn=name, kind=kind)

    def __format__(self, spec: str) -> str:
        if not self.ndim and TensorBase in type(self).__bases__:
            return format(self.item(), spec)
        return object.__format__(self, spec)

    def __deepcopy__(self, memo: dict) -> Self:
        if not self.is_leaf:
            raise RuntimeError(messages.DEEPCOPY)
        import copy  # here, because few programs need it

        kind: Any = type(self)
        memo[id(self)] = again = kind._of(pickling.copied(self._memory(), memo), self.requires_grad)
        again._grad = copy.deepcopy(self._grad, memo)
        again.__dict__.update(copy.deepcopy(self.__dict__, memo))
        return again

    def __reduce_ex__(self, protocol: object) -> tuple:
        """For `pickle` and `copy.copy`: the values without their graph; the flag is kept."""
        return _again, (*pickling.place(type(self)), self._memory(), self.requires_grad, self.__dict__)

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("len() of a 0-d tensor")
        return self._array.shape[0]

    def __contains__(self, value: object) -> bool:
        if not isinstance(value, (TensorBase, *dtypes.NUMBERS)):
            raise RuntimeError(messages.CONTAINS.format(type(value)))
        return bool((self == value).any())

    def __reversed__(self) -> Self:
        return self.flip(0) if self.ndim else self

    def __iter__(self) -> Iterator[Self]:
        if not self.ndim:
            raise TypeError("iteration over a 0-d tensor")
        return iter(self.unbind())


def _again(home: str, name: str, array: np.ndarray, requires_grad: bool, attributes: dict) -> Any:
    """Rebuild a pickled tensor."""
    result = pickling.found(home, name)._of(array, requires_grad)
    result.__dict__.update(attributes)
    return result
