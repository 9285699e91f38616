"""The Tensor: an array, the node that made it, and the gradient it keeps.

A Tensor owns no mathematics. Its operators hand over to the floors (`scalar`, `upstream`, `leaf`) and to
`operations`, always through the module and at the moment of the call, so that a floor's class or function can be
replaced by yours. Most methods (`exp`, `sum`, `reshape`, …) are attached by `operations.register`.

Mirrors https://docs.pytorch.org/docs/stable/tensors.html
"""

from __future__ import annotations

import functools
import math
import operator
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from minigrad import dtypes, mirrored, quiet, words
from minigrad.printing import tensor_text


class Size(tuple):
    """A shape; prints as `torch.Size([2, 3])`.

    >>> Tensor([[1., 2., 3.]]).shape.numel()
    3
    """

    __slots__ = ()
    __module__ = "torch"

    def __reduce__(self) -> Any:
        return mirrored.made, (*mirrored.place(Size), tuple(self))

    def numel(self) -> int:
        """How many entries a tensor of this shape has."""
        return math.prod(self)

    def __repr__(self) -> str:
        return f"torch.Size({list(self)})"

    def __getitem__(self, index: Any) -> Any:
        part = tuple.__getitem__(self, index)
        return Size(part) if isinstance(index, slice) else part

    def __add__(self, other: Any) -> Any:
        return Size(tuple.__add__(self, other))

    def __radd__(self, other: tuple) -> Size:
        return Size(other + tuple(self))

    def __mul__(self, times: Any) -> Any:
        return Size(tuple.__mul__(self, times))


_set, _reset, _IGNORE = quiet.STATE.set, quiet.STATE.reset, quiet.IGNORE


def _alone(method: Callable) -> Any:
    """A method that takes nothing. TypeError, in torch's words, for any argument."""

    @functools.wraps(method)
    def call(self: Tensor, *none: Any) -> Any:
        if none:
            raise TypeError(arguments.takes_nothing(method.__name__, none))
        return method(self)

    return call


def _operator(name: str) -> Callable:
    """The operator that `operations.pointwise` calls `name`. NotImplemented lets the other operand try."""

    def method(self: Tensor, other: Any) -> Any:
        return getattr(pointwise, name)(self, other) if _is_operand(other) else NotImplemented

    return method


def _changing(name: str, plainly: Callable) -> Callable:
    """The same as an operator that changes the tensor in place; `plainly` is how Python does it to an array."""

    def method(self: Tensor, other: Any) -> Any:
        if self._requires_grad and not leaf.recording and type(other) is Tensor:
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
        return leaf.change(self, getattr(pointwise, name), other) if _is_operand(other) else NotImplemented

    return method


class Tensor:
    """An array of one dtype that may require a gradient.

    `Tensor([1., 2.])` is float32, as in torch; `minigrad.tensor` infers the dtype.

    >>> x = Tensor([1., 2.]).requires_grad_()
    >>> (x * x).sum().backward()
    >>> x.grad
    tensor([2., 4.])
    """

    if TYPE_CHECKING:  # the methods that `operations` attaches

        def __getattr__(self, name: str) -> Any: ...

    __module__ = "torch"
    __slots__ = (
        "_array",  # numpy array; a numpy number for a result without axes, until its memory is shared
        "_requires_grad",  # the flag of a leaf
        "_made_by",  # the node that made it (or the Output of a node with several results); None for a leaf
        "_view",  # how it lies in the memory of another tensor, if it does
        "_counter",  # how often its memory was changed in place: [n], shared by all who share the memory; None for 0
        "_grad",
        "_hooks",  # of a leaf; a non-leaf's are at its node
        "__dict__",  # for what programs attach
        "__weakref__",
    )

    edges: tuple = ()  # a leaf is where the graph ends,
    number = 0  # and older than every node
    nothing = None

    _array: Any
    _requires_grad: bool
    _made_by: Any
    _view: Any
    _counter: list[int] | None
    _grad: Tensor | None
    _hooks: Any

    def __new__(cls, *values: Any, **keywords: Any) -> Any:
        made = legacy.legacy(dtypes.default(), *values, **keywords)
        return made if cls is Tensor else cls._of(made._array)

    @classmethod
    def _of(cls, array: Any, requires_grad: bool = False) -> Any:
        """A leaf around an array, whose memory it shares."""
        self = object.__new__(cls)
        self._array = array
        self._requires_grad = requires_grad
        self._made_by = self._view = self._counter = self._grad = self._hooks = None
        return self

    def _memory(self) -> np.ndarray:
        """The array, as one whose memory can be shared or written."""
        if not isinstance(self._array, np.ndarray):
            self._array = np.asarray(self._array)
        return self._array

    # What it is

    @property
    def shape(self) -> Size:
        """How many entries there are along each axis."""
        return Size(self._array.shape)

    @property
    def dtype(self) -> dtypes.dtype:
        """The kind of number it holds."""
        return dtypes.of_array(self._array)

    @property
    def ndim(self) -> int:
        """How many axes there are."""
        return self._array.ndim

    def size(self, dim: int | None = None) -> Any:
        """The shape, or one number of it. IndexError for an axis that is not there."""
        if dim is None:
            return self.shape
        dim = arguments.int_of(dim, "size(): argument 'dim' (position 1)")
        if not self.ndim:
            raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
        return self.shape[dtypes.axis_of(self.ndim, dim)]

    @_alone
    def dim(self) -> int:
        """How many axes there are."""
        return self._array.ndim

    @_alone
    def numel(self) -> int:
        """How many entries there are."""
        return self._array.size

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("len() of a 0-d tensor")
        return self._array.shape[0]

    # The graph

    @property
    def grad_fn(self) -> Any:
        """The node that made the tensor; None for a leaf."""
        source = leaf.current_source(self)
        return source.node if isinstance(source, scalar.Output) else source

    @property
    def output_nr(self) -> int:
        """Which of the results of its node it is."""
        return self._made_by.index if isinstance(self._made_by, scalar.Output) else 0

    @property
    def requires_grad(self) -> bool:
        """True if a gradient is computed for it, or passes through it."""
        return (
            self._requires_grad or self._made_by is not None or (self._view and self._view.base.requires_grad) or False
        )

    @requires_grad.setter
    def requires_grad(self, flag: bool) -> None:
        rules.set_requires_grad(self, flag)

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Ask for a gradient, or no longer. RuntimeError for a non-leaf, and for integers and bools."""
        return rules.requires_grad_(self, requires_grad)

    @property
    def is_leaf(self) -> bool:
        """True if no node made it, or if it needs no gradient."""
        return leaf.is_leaf(self)

    @property
    def grad(self) -> Tensor | None:
        """The gradient that it keeps; None before there is one. A UserWarning for a non-leaf that keeps none."""
        return self._grad if self._grad is not None else leaf.grad(self)

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        if value is not None:
            rules.demand_gradient(self, value)
        self._grad = value

    @grad.deleter
    def grad(self) -> None:
        self._grad = None

    @_alone
    def retain_grad(self) -> None:
        """Keep the gradient of this non-leaf in `.grad`; nothing new for a leaf."""
        leaf.retain_grad(self)

    @property
    def retains_grad(self) -> bool:
        """True for a non-leaf that keeps its gradient."""
        return leaf.retains_grad(self)

    def register_hook(self, hook: Callable) -> Any:
        """Call `hook(grad)` whenever the gradient of this tensor is complete; it may return another one."""
        return hooks.register_hook(self, hook)

    def register_post_accumulate_grad_hook(self, hook: Callable) -> Any:
        """Call `hook(tensor)` each time this leaf has accumulated a gradient."""
        return hooks.register_post_accumulate_grad_hook(self, hook)

    @property
    def _version(self) -> int:
        return leaf.version(self)

    @property
    def _base(self) -> Tensor | None:
        return self._view.base if self._view else None

    def _is_view(self) -> bool:
        return self._view is not None

    def backward(
        self, gradient: Any = None, retain_graph: bool | None = None, create_graph: bool = False, inputs: Any = None
    ) -> None:
        """Fill the `.grad` of every leaf below with vᵀJ; v is `gradient`, or 1 for one element."""
        if inputs is not None or retain_graph is not None or create_graph is not False:
            inputs = rules.demand_pass(self, gradient, retain_graph, create_graph, inputs)
        upstream.backward(self, gradient, retain_graph, create_graph, inputs)

    @_alone
    def detach(self) -> Tensor:
        """The same memory, outside the graph: a constant."""
        return leaf.detach(self)

    @_alone
    def detach_(self) -> Tensor:
        """Cut this tensor itself from the graph: it is a leaf from now on. RuntimeError for a view."""
        return rules.detach_(self)

    @property
    def data(self) -> Tensor:
        """The same memory, outside the graph, and changes through it are not counted."""
        return Tensor._of(self._memory().view())

    @data.setter
    def data(self, value: Tensor) -> None:
        rules.set_data(self, value)

    # Out of the engine

    @_alone
    def item(self) -> Any:
        """The one entry as a Python number. RuntimeError for any other number of entries."""
        if self._array.size != 1:
            raise RuntimeError(f"a Tensor with {self._array.size} elements cannot be converted to Scalar")
        return self._array.item()

    @_alone
    def tolist(self) -> Any:
        """The entries as nested lists of Python numbers; one number if there are no axes."""
        return self._array.tolist()

    def numpy(self, *, force: bool = False) -> np.ndarray:
        """The memory itself as a numpy array. RuntimeError, while operations are recorded, for a tensor that requires
        grad, unless `force`.
        """
        if self.requires_grad and leaf.recording and not force:
            raise RuntimeError(words.NUMPY)
        return self._memory()

    def __array__(self, dtype: Any = None) -> np.ndarray:
        return np.asarray(self.numpy(), dtype)

    def __array_wrap__(self, array: np.ndarray) -> Tensor:  # as torch has it, so numpy warns as it does there
        return Tensor._of(array.astype(np.uint8) if array.dtype == bool else array)

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
        if self.requires_grad:
            warn_once(words.TO_SCALAR)
        return float(self._number())

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
        if not self.ndim and type(self) is Tensor:
            return format(self.item(), spec)
        return format(repr(self), spec) if not spec else object.__format__(self, spec)

    def __deepcopy__(self, memo: dict) -> Any:
        if not self.is_leaf:
            raise RuntimeError(words.DEEPCOPY)
        import copy  # here, as few programs need it

        again = type(self)._of(np.array(self._array), self.requires_grad)
        memo[id(self)] = again
        again._grad = copy.deepcopy(self._grad, memo)
        again.__dict__.update(copy.deepcopy(self.__dict__, memo))
        return again

    def __reduce_ex__(self, protocol: Any) -> Any:
        """For `pickle` and `copy.copy`: the values without their graph; a flag stays."""
        kind = mirrored.place(type(self))
        return _again, (*kind, self._memory(), self.requires_grad, self.__dict__)

    # Operators (more are attached by `operations.pointwise`)

    def __add__(self, other: Any) -> Any:
        if type(other) is Tensor or _is_operand(other):
            return scalar.Add.node.apply2(self, other)
        return NotImplemented

    __radd__ = __add__

    def __mul__(self, other: Any) -> Any:
        if type(other) is Tensor or type(other) is float or _is_operand(other):
            return scalar.Mul.node.apply2(self, other)
        return NotImplemented

    __rmul__ = __mul__

    def __matmul__(self, other: Any) -> Any:
        return linalg.matmul(self, other) if isinstance(other, Tensor) else NotImplemented

    def __sub__(self, other: Any) -> Any:
        kind = type(other)
        floating = self._array.dtype.kind == "f"
        if floating and (other._array.dtype.kind == "f" if kind is Tensor else kind is float or kind is int):
            return scalar.Sub.node.apply2(self, other)  # nothing to refuse
        return pointwise.sub(self, other) if _is_operand(other) else NotImplemented

    __rsub__ = _operator("rsub")
    __truediv__ = _operator("div")
    __rpow__ = _operator("rpow")
    __ne__ = _operator("ne")
    __lt__, __le__, __gt__, __ge__ = _operator("lt"), _operator("le"), _operator("gt"), _operator("ge")

    def __eq__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray) and other.dtype.kind in "buif":
            other = Tensor._of(other)  # torch takes an array here, and nowhere else
        return pointwise.eq(self, other) if _is_operand(other) else NotImplemented

    def __rtruediv__(self, other: Any) -> Any:
        fits = isinstance(other, np.ndarray) or _is_operand(other)
        return pointwise.reciprocal(self) * other if fits else NotImplemented

    def __pow__(self, other: Any) -> Any:
        return pointwise.pow(self, other) if type(other) is int or _is_operand(other) else NotImplemented

    def __neg__(self) -> Tensor:
        return pointwise.neg(self)

    __hash__ = object.__hash__
    __array_priority__ = 1000  # a numpy array to the left leaves the operation to the Tensor

    # Entries, and changes in place

    def __getitem__(self, index: Any) -> Tensor:
        return indexing.get(self, index)

    def __setitem__(self, index: Any, value: Any) -> None:
        if not _is_operand(value):
            raise TypeError(f"can't assign a {legacy.typename(value)} to a {self.dtype.tensor_type}")
        leaf.assign(self, index, value)

    __iadd__, __isub__ = _changing("add", operator.iadd), _changing("sub", operator.isub)
    __imul__, __itruediv__ = _changing("mul", operator.imul), _changing("div", operator.itruediv)
    __ipow__ = _changing("pow", operator.ipow)

    def __dir__(self) -> list[str]:
        return [name for name in object.__dir__(self) if hasattr(type(self), name) or name in self.__dict__]

    def __contains__(self, value: Any) -> bool:
        if not _is_operand(value):
            raise RuntimeError(words.CONTAINS.format(type(value)))
        return bool(reduction.any(self == value))

    def __reversed__(self) -> Tensor:
        return self.flip(0) if self.ndim else self

    def __iter__(self) -> Iterator[Tensor]:
        if not self.ndim:
            raise TypeError("iteration over a 0-d tensor")
        return iter(shaping.unbind(self))


def constant(array: Any) -> Tensor:
    """What `Tensor._of(array)` is, in half the time."""
    self = _new(Tensor)
    self._array = array
    self._requires_grad = False
    self._made_by = self._view = self._counter = self._grad = self._hooks = None
    return self


_new = object.__new__


def _again(home: str, name: str, array: np.ndarray, requires_grad: bool, attributes: dict) -> Any:
    """What was pickled."""
    tensor = mirrored.found(home, name)._of(array, requires_grad)
    tensor.__dict__.update(attributes)
    return tensor


def _is_operand(value: Any) -> bool:
    return isinstance(value, (Tensor, float, int, np.number, np.bool_))


_warned: set[str] = set()  # what torch says once per process, whatever the filter
_warn_always = False


def set_warn_always(flag: bool) -> None:
    """Whether warnings that come once per process come every time instead."""
    global _warn_always
    _warn_always = flag


def warn_once(text: str, subject: str = "") -> None:
    """A UserWarning the first time only, for the line of the program that caused it; one for all of a `subject`."""
    if not _warn_always:
        if (subject or text) in _warned:
            return
        _warned.add(subject or text)
    warn(text)


def warn(text: str, category: type[Warning] = UserWarning) -> None:
    """A warning for the line of the program that caused it: the first one outside the engine."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_back.f_code.co_filename.startswith(_HERE):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, category, stacklevel=level + 1)


_HERE = os.path.dirname(__file__) + os.sep

# The floors build on Tensor, so they are imported when it exists, and what builds on them last.
from minigrad import scalar  # noqa: E402, I001  (the first floor first)
from minigrad import hooks, leaf, legacy, rules, upstream  # noqa: E402
from minigrad.operations import arguments, indexing, linalg, pointwise, reduction, shaping  # noqa: E402
