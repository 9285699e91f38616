"""The Tensor: an array, the node that made it, and the gradient it keeps.

A Tensor owns no mathematics. Its operators hand over to the floors (`scalar`, `upstream`, `leaf`), always through
the module and at the moment of the call, so that a floor's class or function can be replaced by yours.

Mirrors https://docs.pytorch.org/docs/stable/tensors.html
"""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.printing import tensor_text


class Size(tuple):
    """A shape; prints as `torch.Size([2, 3])`."""

    __slots__ = ()

    def numel(self) -> int:
        return int(np.prod(self, dtype=int))

    def __repr__(self) -> str:
        return f"torch.Size({list(self)})"


class Tensor:
    """An array of one dtype that may require a gradient.

    `Tensor([1., 2.])` is float32, as in torch; `minigrad.tensor` infers the dtype. Inside are `_array` (numpy),
    `grad_fn` (the node that made it, None for a leaf), `_requires_grad` (a leaf's flag) and `_grad`.
    """

    __slots__ = ("_array", "_requires_grad", "_grad", "grad_fn", "__weakref__")

    edges: tuple = ()  # a leaf is where the graph ends,
    number = 0  # and older than every node

    _array: np.ndarray
    _requires_grad: bool
    _grad: Tensor | None
    grad_fn: Any

    def __new__(cls, *values: Any) -> Tensor:
        return legacy(dtypes.float32, *values)

    @classmethod
    def _of(cls, array: np.ndarray, requires_grad: bool = False) -> Any:
        """A leaf around an array, whose memory it shares."""
        self = object.__new__(cls)
        self._array = array
        self._requires_grad = requires_grad
        self._grad = self.grad_fn = None
        return self

    # What it is

    @property
    def shape(self) -> Size:
        return Size(self._array.shape)

    @property
    def dtype(self) -> dtypes.dtype:
        return dtypes.of_array(self._array)

    @property
    def ndim(self) -> int:
        return self._array.ndim

    def size(self, dim: int | None = None) -> Any:
        if dim is None:
            return self.shape
        if not self.ndim:
            raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
        return self.shape[upstream.axes_of(self, dim)[0]]

    def dim(self) -> int:
        return self._array.ndim

    def numel(self) -> int:
        return self._array.size

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("len() of a 0-d tensor")
        return self._array.shape[0]

    # The graph

    @property
    def requires_grad(self) -> bool:
        return self._requires_grad or self.grad_fn is not None

    @requires_grad.setter
    def requires_grad(self, flag: bool) -> None:
        leaf.set_requires_grad(self, flag)

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        return leaf.requires_grad_(self, requires_grad)

    @property
    def is_leaf(self) -> bool:
        return leaf.is_leaf(self)

    @property
    def grad(self) -> Tensor | None:
        return leaf.grad(self)

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        leaf.set_grad(self, value)

    @property
    def _version(self) -> int:
        return leaf.version(self)

    def backward(self, gradient: Any = None, retain_graph: bool | None = None) -> None:
        """Fill the `.grad` of every leaf below with vᵀJ; v is `gradient`, or 1 for one element."""
        upstream.backward(self, gradient, retain_graph)

    def detach(self) -> Tensor:
        """The same memory, outside the graph: a constant."""
        return Tensor._of(self._array)

    data = property(detach)

    # Out of the engine

    def item(self) -> Any:
        """The one entry as a Python number. RuntimeError for any other number of entries."""
        if self._array.size != 1:
            raise RuntimeError(f"a Tensor with {self._array.size} elements cannot be converted to Scalar")
        return self._array.item()

    def tolist(self) -> Any:
        return self._array.tolist()

    def numpy(self) -> np.ndarray:
        """The memory itself as a numpy array. RuntimeError for a tensor that requires grad."""
        if self.requires_grad:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
        return self._array

    def __bool__(self) -> bool:
        if self._array.size != 1:
            adjective = "more than one value" if self._array.size else "no values"
            raise RuntimeError(f"Boolean value of Tensor with {adjective} is ambiguous")
        return bool(self._array.item())

    def _number(self) -> Any:
        if self._array.size != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        return self._array.item()

    def __float__(self) -> float:
        if self.requires_grad and "float" not in _warned:
            _warned.add("float")
            warnings.warn(
                "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
                "Consider using tensor.detach() first.",
                UserWarning,
                stacklevel=2,
            )
        return float(self._number())

    def __int__(self) -> int:
        return int(self._number())

    def __index__(self) -> int:
        if self.dtype.is_floating_point or self._array.size != 1:
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(self._array.item())

    def __repr__(self) -> str:
        return tensor_text(
            self._array,
            requires_grad=self.requires_grad,
            grad_fn=self.grad_fn.name().split("::")[-1] if self.grad_fn else None,
        )

    def __format__(self, spec: str) -> str:
        if not self.ndim and type(self) is Tensor:
            return format(self.item(), spec)
        return format(repr(self), spec) if not spec else object.__format__(self, spec)

    # Arithmetic

    def __add__(self, other: Any) -> Any:
        return scalar.Add.apply(self, other) if _is_operand(other) else NotImplemented

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        if not _is_operand(other):
            return NotImplemented
        _refuse_bools(self, other)
        return scalar.Sub.apply(self, other)

    def __rsub__(self, other: Any) -> Any:
        if not _is_operand(other):
            return NotImplemented
        _refuse_bools(self, other)
        return scalar.Rsub.apply(_beside(self, other), number=other)

    def __mul__(self, other: Any) -> Any:
        return scalar.Mul.apply(self, other) if _is_operand(other) else NotImplemented

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return scalar.Div.apply(*_with_a_float(self, other)) if _is_operand(other) else NotImplemented

    def __rtruediv__(self, other: Any) -> Any:
        return scalar.Reciprocal.apply(*_with_a_float(self)) * other if _is_operand(other) else NotImplemented

    def __pow__(self, exponent: Any) -> Any:
        if not _is_operand(exponent):
            return NotImplemented
        _refuse_bool_powers(self, exponent)
        if isinstance(exponent, Tensor):
            return scalar.PowTensor.apply(self, exponent)
        if exponent < 0 and isinstance(exponent, int) and not self.dtype.is_floating_point:
            raise RuntimeError("Integers to negative integer powers are not allowed.")
        return scalar.Pow.apply(_beside(self, exponent), exponent=exponent)

    def __rpow__(self, base: Any) -> Any:
        if not _is_operand(base):
            return NotImplemented
        _refuse_bool_powers(base, self)
        return scalar.PowOfNumber.apply(_beside(self, base), base=base)

    def __matmul__(self, other: Any) -> Any:
        return upstream.matmul(self, other) if isinstance(other, Tensor) else NotImplemented

    def __neg__(self) -> Tensor:
        if self.dtype is dtypes.bool_:
            raise RuntimeError(
                "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a "
                "mask, use the `~` or `logical_not()` operator instead."
            )
        return scalar.Neg.apply(self)

    def __pos__(self) -> Tensor:
        if self.dtype is dtypes.bool_:
            raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
        return self

    def sum(self, dim: Any = None, keepdim: bool = False) -> Tensor:
        return upstream.sum(self, dim, keepdim)

    def mean(self, dim: Any = None, keepdim: bool = False) -> Tensor:
        return upstream.mean(self, dim, keepdim)

    @property
    def T(self) -> Tensor:
        if self.ndim != 2:
            _warn_about_T(self.ndim)
        return upstream.Permute.apply(self)

    # Comparison: tensors of bool, outside every graph

    def _compare(self, other: Any, question: Callable) -> Any:
        if not _is_operand(other):
            return NotImplemented
        values = [self._array, other._array if isinstance(other, Tensor) else other]
        try:
            return Tensor._of(np.asarray(question(*dtypes.promoted(values))))
        except ValueError:
            upstream.demand_broadcast(values)
            raise

    def __eq__(self, other: Any) -> Any:
        return self._compare(other, operator.eq)

    def __ne__(self, other: Any) -> Any:
        return self._compare(other, operator.ne)

    def __lt__(self, other: Any) -> Any:
        return self._compare(other, operator.lt)

    def __le__(self, other: Any) -> Any:
        return self._compare(other, operator.le)

    def __gt__(self, other: Any) -> Any:
        return self._compare(other, operator.gt)

    def __ge__(self, other: Any) -> Any:
        return self._compare(other, operator.ge)

    __hash__ = object.__hash__

    # Entries, and changes in place

    def __getitem__(self, index: Any) -> Tensor:
        return upstream.select(self, _integers(index))

    def __setitem__(self, index: Any, value: Any) -> None:
        where = _integers(index)
        if not _is_operand(value):
            raise TypeError(f"can't assign a {type(value).__name__} to a {self.dtype.tensor_type}")
        value = value if isinstance(value, Tensor) else Tensor._of(np.asarray(value, self.dtype.numpy))
        leaf.assign(self, where, value)

    def __iter__(self) -> Iterator[Tensor]:
        if not self.ndim:
            raise TypeError("iteration over a 0-d tensor")
        return iter([self[i] for i in range(len(self))])

    def _change(self, operation: Callable, *inputs: Any) -> Tensor:
        leaf.demand_changeable(self)
        return leaf.change(self, operation(self.detach(), *inputs))

    def add_(self, other: Any) -> Tensor:
        return self._change(operator.add, other)

    def sub_(self, other: Any) -> Tensor:
        return self._change(operator.sub, other)

    def mul_(self, other: Any) -> Tensor:
        return self._change(operator.mul, other)

    def div_(self, other: Any) -> Tensor:
        return self._change(operator.truediv, other)

    def zero_(self) -> Tensor:
        return self._change(lambda old: Tensor._of(np.zeros_like(old._array)))

    __iadd__, __isub__, __imul__, __itruediv__ = add_, sub_, mul_, div_

    __array_priority__ = 1000  # a numpy array to the left leaves the operation to the Tensor

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        array = self.numpy()
        return array if dtype is None and not copy else np.array(array, dtype)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"minigrad's Tensor has no attribute {name!r} (torch's may have)")


# --- operands ------------------------------------------------------------------------------------


def _is_operand(value: Any) -> bool:
    return isinstance(value, (Tensor, *dtypes.NUMBERS))


def _with_a_float(*operands: Any) -> tuple:
    """The operands, integers turned to the default float32 where nothing among them is floating."""
    kinds = [each.dtype.kind if isinstance(each, Tensor) else dtypes.of_number(each).kind for each in operands]
    if dtypes.FLOATING in kinds:
        return operands
    return tuple(
        Tensor._of(each._array.astype(np.float32)) if isinstance(each, Tensor) else float(each) for each in operands
    )


def _beside(tensor: Tensor, number: Any) -> Tensor:
    """The tensor in the dtype in which it meets the number: only a constant ever changes."""
    common = dtypes.result_type(tensor._array, number)
    return tensor if common is tensor.dtype else Tensor._of(tensor._array.astype(common.numpy))


def _refuse_bools(a: Any, b: Any) -> None:
    bools = [_is_bool(each) for each in (a, b)]
    if all(bools):
        raise RuntimeError(
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
            "`logical_xor()` operator instead."
        )
    if any(bools):
        raise RuntimeError(
            "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert "
            "a mask, use the `~` or `logical_not()` operator instead."
        )


def _refuse_bool_powers(base: Any, exponent: Any) -> None:
    if _is_bool(base) and _is_bool(exponent) and isinstance(exponent, Tensor):
        upstream.demand_broadcast([each._array for each in (base, exponent) if isinstance(each, Tensor)])
        raise NotImplementedError("\"pow\" not implemented for 'Bool'")


def _is_bool(value: Any) -> bool:
    return isinstance(value, bool) or (isinstance(value, Tensor) and value.dtype is dtypes.bool_)


def _integers(index: Any) -> tuple[int, ...]:
    """The index as a tuple of integers. NotImplementedError for what minigrad cannot index with yet."""
    items = index if isinstance(index, tuple) else (index,)
    if not items or not all(isinstance(each, (int, np.integer)) and not isinstance(each, bool) for each in items):
        raise NotImplementedError(f"minigrad indexes tensors by integers only, not by {index!r}")
    return tuple(int(each) for each in items)


_warned: set[str] = set()  # what torch says once per process, whatever the filter


def _warn_about_T(ndim: int) -> None:
    subject = "T of 0-D" if ndim == 0 else "T"
    if subject not in _warned:
        _warned.add(subject)
        warnings.warn(
            "Tensor.T is deprecated on 0-D tensors. This function is the identity in these cases."
            if ndim == 0
            else "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it "
            "will throw an error in a future release. Consider `x.mT` to transpose batches of matrices or "
            "`x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor.",
            UserWarning,
            stacklevel=3,
        )


def legacy(dtype: dtypes.dtype, *values: Any) -> Any:
    """What the constructors of old give: `FloatTensor([1, 2])` the values, `FloatTensor(2, 3)` that shape."""
    if len(values) == 1 and not isinstance(values[0], int):
        source = values[0]._array if isinstance(values[0], Tensor) else values[0]
        return Tensor._of(np.array(source, dtype.numpy))
    return Tensor._of(np.zeros(values if values else 0, dtype.numpy))


# The floors build on Tensor, so they are imported when it exists.
from minigrad import scalar  # noqa: E402, I001  (the first floor first)
from minigrad import leaf, upstream  # noqa: E402
