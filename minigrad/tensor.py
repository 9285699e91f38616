"""The Tensor: an array, the node that made it, and the gradient it keeps.

A Tensor holds state and knows no mathematics. `scalar`, `methods.operators` and the modules of `ops` attach its
operators and methods (`*`, `sum`, `backward`, …), which look up the chapters' functions at the moment of the call. So
this module depends on no chapter, and you can replace a chapter's class or function with yours. Whatever leads out of
the engine (`item`, `tolist`, `print(x)`) is in `compat.tensor_protocols`.

Mirrors https://docs.pytorch.org/docs/stable/tensors.html
"""

from __future__ import annotations

from typing import Any, Self, TypeAlias

import numpy as np

from minigrad.compat import checks, dtypes, inference, messages, tensor_protocols, typenames
from minigrad.compat.messages import warn
from minigrad.compat.tensor_protocols import Size as Size


class Tensor(tensor_protocols.TensorBase):
    """An array of one dtype that may require a gradient.

    `Tensor([1., 2.])` is float32, as in torch; `minigrad.tensor` infers the dtype.

    >>> x = Tensor([1., 2.]).requires_grad_()
    >>> (x * x).sum().backward()
    >>> x.grad
    tensor([2., 4.])
    """

    __module__ = "torch"
    __slots__ = (
        "_array",  # numpy array; a numpy number for a result without axes, until its memory is shared
        "_requires_grad",  # the flag of a leaf
        "_made_by",  # the node that made it (or the Output of a node with several results); None for a leaf
        "_view",  # how it shares another tensor's memory, if it does
        "_counter",  # how often its memory was changed in place: [n], shared with the memory; None for 0
        "_grad",
        "_hooks",  # of a leaf; a non-leaf's are on its node
        "__dict__",  # for attributes that programs set
        "__weakref__",
    )

    edges: tuple = ()  # a leaf is where the graph ends,
    number = 0  # and older than every node
    nothing = None
    _grad_dtype: Any = ""  # of its gradient, if a program has set it; None for any
    _former: tuple = ()  # the forms it had before other `.data`, which a graph from then still expects

    _array: Any

    @classmethod
    def _of(cls, array: Any, requires_grad: bool = False) -> Self:
        """A leaf around an array, sharing its memory."""
        self = object.__new__(cls)
        self._array = array
        self._requires_grad = requires_grad
        self._made_by = self._view = self._grad = self._hooks = None
        self._counter = inference.counter
        return self

    def _memory(self) -> np.ndarray:
        """The array, in a form whose memory can be shared or written to."""
        if not isinstance(self._array, np.ndarray):
            self._array = np.asarray(self._array)
        return self._array

    def _source(self) -> Any:
        """The node that made it; recomputed for a view whose memory has changed since it was taken."""
        return self._made_by if self._view is None else self._view.source(self)

    def _place(self) -> Any:
        """The place in the graph where its gradient arrives: the node that made it, or the leaf itself."""
        source = self._source()
        return self if source is None else source

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

    def dim(self) -> int:
        """How many axes there are."""
        return self._array.ndim

    def numel(self) -> int:
        """How many entries there are."""
        return self._array.size

    # The graph

    @property
    def grad_fn(self) -> Any:
        """The node that made the tensor; None for a leaf. A new one for a view whose memory has changed."""
        source = self._source()
        return None if source is None else source.owner

    @property
    def output_nr(self) -> int:
        """Which of its node's results it is."""
        return 0 if self._made_by is None else self._made_by.output_nr

    @property
    def requires_grad(self) -> bool:
        """True if a gradient is computed for it or passes through it."""
        return (
            self._requires_grad or self._made_by is not None or (self._view and self._view.base.requires_grad) or False
        )

    @requires_grad.setter
    def requires_grad(self, flag: bool) -> None:
        checks.set_requires_grad(self, flag)

    @property
    def grad(self) -> Tensor | None:
        """The gradient that it keeps, or None. A UserWarning for a non-leaf that keeps none."""
        if self._grad is None and not self.is_leaf and not self.retains_grad:
            warn(messages.NON_LEAF_GRAD)
        return self._grad

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        if value is not None:
            checks.demand_gradient(self, value, Tensor)
        self._grad = value

    @grad.deleter
    def grad(self) -> None:
        self._grad = None

    @property
    def _version(self) -> int:
        return inference.version(self)

    @property
    def _base(self) -> Tensor | None:
        return self._view.base if self._view else None

    def _is_view(self) -> bool:
        return self._view is not None

    @property
    def data(self) -> Tensor:
        """The same memory, outside the graph; changes made through it are not counted."""
        result = Tensor._of(self._memory().view())
        if inference.is_inference(self):
            result._counter = self._counter
        return result

    @data.setter
    def data(self, value: Tensor) -> None:
        checks.set_data(self, value, Tensor)

    @data.deleter
    def data(self) -> None:
        raise RuntimeError("Deleting tensor data is not allowed. Delete tensor instead!")

    __array_priority__ = 1000  # a numpy array on the left leaves the operation to the Tensor


Array: TypeAlias = np.ndarray  # what `forward` computes with; a numpy number counts as one
Value: TypeAlias = Array | Tensor  # what `backward` computes with: in a recorded pass a Tensor
Shares: TypeAlias = Value | tuple[Value | None, ...] | None  # what it returns: one for each input

OPERANDS = (Tensor, *dtypes.NUMBERS)


def is_operand(value: object) -> bool:
    """True for a Tensor or a number: a valid operand next to a Tensor. TypeError for a tensor of torch."""
    return isinstance(value, OPERANDS) or typenames.refuse_foreign(value)
