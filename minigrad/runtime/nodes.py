"""How nodes show themselves: their class under torch's name, what they saved, where their edges lead.

Mirrors https://docs.pytorch.org/docs/stable/autograd.html#autograd-graph
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from minigrad.compat import messages
from minigrad.runtime import hooks, state
from minigrad.runtime.multi_output import Output
from minigrad.tensor import Tensor


class NodeClass:
    """The class of an operation's nodes, under torch's name; made when it is first asked for."""

    def __init__(self, name: str):
        self.name = name

    def __get__(self, instance: Any, operation: Any) -> type:
        body = {"__slots__": (), "__module__": "builtins", "node": None, "__call__": called}
        operation.node = type(self.name, (operation,), body)
        return operation.node


SLOTS = (
    "edges",  # for each input: the node that made it, the leaf itself, or None (no gradient wanted)
    "needs_input_grad",  # for each input: whether there is an edge
    "saved",  # what `save_for_backward` kept; () for nothing, None once it is freed
    "number",  # creation number: newer nodes have larger ones
    "shape",  # of the result, and so of the upstream gradient; of each, if there are several
    "dtype",
    "places",  # of a node with several results: weak references to their Outputs; others have none
    "_hooks",  # what wants to see the gradient pass (`hooks.Hooks`); None for most nodes
    "__weakref__",
)
prepare: Callable[[Any], None] | None = None  # told of each new operation: see `fastpath`


class Node:
    """What every `grad_fn` is: the engine's nodes, those of a program's Functions, AccumulateGrad.

    >>> import minigrad as torch
    >>> x = torch.tensor([1., 2.], requires_grad=True)
    >>> y = x * 3
    >>> handle = y.grad_fn.register_hook(lambda grad_inputs, grad_outputs: print(grad_inputs, grad_outputs))
    >>> y.sum().backward()
    (tensor([3., 3.]), None) (tensor([1., 1.]),)
    """

    __slots__ = ()
    __module__ = "torch.autograd.graph"  # where it is printed to be from

    def register_hook(self, fn: Callable) -> Any:
        """Call `fn(grad_inputs, grad_outputs)` when the node has run; it may return another tuple of grad_inputs.

        There is one of grad_inputs for each input, None where it wants no gradient.
        """
        return hooks.RemovableHandle(hooks.hooks_at(self._place()).leaving, fn)

    def register_prehook(self, fn: Callable) -> Any:
        """Call `fn(grad_outputs)` before the node runs; it may return another tuple."""
        return hooks.RemovableHandle(hooks.hooks_at(self._place()).entering, fn)

    @property
    def metadata(self) -> dict:
        """What a program keeps with the node."""
        return _METADATA.setdefault(self, {})

    @property
    def requires_grad(self) -> bool:
        """True: there is no node without."""
        return True

    def _sequence_nr(self) -> int:
        """The creation number; the largest there is for AccumulateGrad, which therefore is run as soon as it can be."""
        return getattr(self._place(), "number", 0) - 1 & (1 << 64) - 1

    def expects(self) -> int:
        """How many gradients arrive at a node with several results."""
        return len(self._place().shape)

    @property
    def owner(self) -> Any:
        """The node that a program sees as `grad_fn`."""
        return self

    def _place(self) -> Any:
        """Where the walk meets it."""
        return self

    def __repr__(self) -> str:
        return f"<{type(self).__name__} object at {id(self):#x}>"


def called(node: Any, *grads: Any, **keywords: Any) -> Any:
    """`node(grad_output)`: what the node alone makes of it, as `saved_attributes.called` says."""
    return node._called(grads, keywords)


PUBLIC = ("_sequence_nr", "metadata", "name", "next_functions", "register_hook", "register_prehook", "requires_grad")
_METADATA: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()


class Operation(Node):
    """What the engine's own nodes are besides: the class of an operation, and one application of it."""

    __slots__ = ()
    node: Any  # the class of an operation's nodes
    promotes = True  # whether the inputs meet in one dtype before `forward`
    saves: tuple[str, ...] = ("self", "other")  # what torch calls the saved inputs, in their order
    output_nr = 0  # of a place of the graph: which result of its node it is
    nothing: Any = None  # what it is visited with if no gradient arrives; None: it is not

    if TYPE_CHECKING:
        edges: tuple
        needs_input_grad: tuple[bool, ...]
        saved: tuple | None
        number: int
        shape: tuple
        dtype: np.dtype
        places: list
        _hooks: Any

    def __init_subclass__(cls, *, name: str | None = None, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "node" not in cls.__dict__:
            cls.node = NodeClass(name or f"{cls.__name__}Backward0")
            if prepare is not None:
                prepare(cls)

    @staticmethod
    def forward(ctx: Any, *inputs: Any) -> Any:
        """The result of the operation; every operation has its own."""
        raise NotImplementedError("a Function needs a static method forward(ctx, *inputs)")

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        """dL/d(input) for every input, from grad_output = dL/d(result); every operation has its own."""
        raise NotImplementedError(messages.NO_BACKWARD)

    @property
    def next_functions(self) -> tuple:
        """torch's view of the edges: one pair (node, which of its results) per input, (None, 0) for a constant."""
        return tuple([seen(each) for each in self.edges])

    def name(self) -> str:
        """The node's name, as `MulBackward0`."""
        return type(self).__name__

    def place(self, index: int) -> Any:
        """Where the gradient of a result is added up: the node itself, or one of several Outputs, made anew if gone."""
        if not hasattr(self, "places"):
            return self
        found = self.places[index]()
        if found is None:
            found = Output(self, index, np.broadcast_to(np.zeros((), self.dtype), self.shape[index]))
            self.places[index] = weakref.ref(found)
        return found


class DeadEnd:
    """Where the gradient of a view goes that was taken without a record, of what requires grad: nowhere."""

    __slots__ = ("shape", "dtype", "_hooks", "__weakref__")
    edges = ()
    number = 0.5  # older than every node, and no leaf
    output_nr = 0
    owner = nothing = None

    def __init__(self, array: np.ndarray):
        self.shape, self.dtype, self._hooks = array.shape, array.dtype, None

    def pullback(self, grad_output: Any, retain_graph: bool = False) -> tuple:
        """There is nothing further on."""
        return ()


class AccumulateGrad(Node):
    """How a leaf appears in `next_functions`: the end of an edge, where the gradient is kept."""

    __slots__ = ("variable", "__weakref__")
    __module__ = "builtins"  # where it is printed to be from
    variable: Tensor
    next_functions = ()
    __call__ = called
    _known: ClassVar[weakref.WeakValueDictionary] = weakref.WeakValueDictionary()

    def __new__(cls, variable: Tensor) -> AccumulateGrad:
        """The same object each time, as long as somebody holds it."""
        self = cls._known.get(id(variable))
        if self is None:
            self = cls._known[id(variable)] = object.__new__(cls)
            self.variable = variable
        return self

    def name(self) -> str:
        """The name that torch gives to the node."""
        return "torch::autograd::AccumulateGrad"

    def _place(self) -> Tensor:
        return self.variable


def demand_inside_pass(node: Any) -> None:
    """AttributeError outside a pass: `saved_tensors` is for `backward`, and torch's nodes have none."""
    if not state.running:
        raise AttributeError(f"{type(node).__name__!r} object has no attribute 'saved_tensors'")


def seen(target: Any) -> tuple:
    """An edge as torch shows it: the node and which of its results, AccumulateGrad for a leaf."""
    if target is None:
        return None, 0
    return (AccumulateGrad(target), 0) if isinstance(target, Tensor) else (target.owner, target.output_nr)
