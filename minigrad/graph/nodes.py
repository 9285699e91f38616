"""How nodes appear to programs: a class with torch's name, what they saved, where their edges lead.

Mirrors https://docs.pytorch.org/docs/stable/autograd.html#autograd-graph
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias

import numpy as np

from minigrad.compat import messages
from minigrad.graph import hooks, state
from minigrad.graph.multi_output import Output, OutputGrads, Upstream
from minigrad.tensor import Tensor


class NodeClass:
    """The class of an operation's nodes, with torch's name; created on first use."""

    def __init__(self, name: str):
        self.name = name

    def __get__(self, instance: object, operation: type[Operation]) -> type[Operation]:
        operation.node = type(self.name, (operation,), {"__module__": "builtins", "node": None, "__call__": called})
        return operation.node


SLOTS = ("edges", "needs_input_grad", "saved", "number", "shape", "dtype", "places", "_hooks", "__weakref__")
prepare: Callable[[type[Operation]], None] | None = None


def set_prepare(function: Callable[[type[Operation]], None] | None) -> None:
    """Set what is called for each new operation: the fast path, or nothing."""
    global prepare
    prepare = function


class Node:
    """The base of every `grad_fn`: the engine's nodes, those of a program's Functions, AccumulateGrad."""

    __slots__ = ()
    __module__ = "torch.autograd.graph"  # the module that torch prints
    requires_grad = True  # every node has it
    _called: ClassVar[Callable]  # `saved_attributes.run_alone`

    def register_hook(self, fn: Callable) -> hooks.RemovableHandle:
        """Call `fn(grad_inputs, grad_outputs)` after the node has run; it may return other grad_inputs."""
        return hooks.RemovableHandle(hooks.hooks_at(self._place()).leaving, fn)

    def register_prehook(self, fn: Callable) -> hooks.RemovableHandle:
        """Call `fn(grad_outputs)` before the node runs; it may return another tuple."""
        return hooks.RemovableHandle(hooks.hooks_at(self._place()).entering, fn)

    @functools.cached_property
    def metadata(self) -> dict:
        """A dict in which a program can store things with the node."""
        return {}

    def name(self) -> str:
        """The node's name, as `MulBackward0`; `torch::autograd::AccumulateGrad` for one that torch wrote by hand."""
        name = type(self).__name__
        return name if any(map(str.isdigit, name)) else f"torch::autograd::{name}"

    def _sequence_nr(self) -> int:
        """Larger for a node that was made later; the largest of all for a leaf's."""
        return int(getattr(self._place(), "number", 0)) or 2**64 - 1

    def expects(self) -> int:
        """How many gradients arrive at a node with several results."""
        return len(self._place().shape)

    @property
    def owner(self) -> Node:
        """The node that programs see as `grad_fn`."""
        return self

    def _place(self) -> Any:
        """The place where the walk meets it."""
        return self

    @property
    def _advice(self) -> str:
        """How the error for a saved value that was changed ends; in anomaly mode in another way."""
        return messages.CHANGED_HINT if state.anomalies is None else messages.CHANGED_HINT_OF_ANOMALY

    def __repr__(self) -> str:
        return f"<{type(self).__name__} object at {id(self):#x}>"


def called(node: Node, *grads: Tensor | None, **other: object) -> Tensor | tuple[Tensor | None, ...] | None:
    """`node(grad_output)`: run this node alone; see `saved_attributes.run_alone`."""
    if other:
        raise TypeError("keyword arguments are not supported")
    return node._called(*grads)


PUBLIC = ("metadata", "name", "next_functions", "register_hook", "register_prehook", "requires_grad")


class Operation(Node):
    """Base of the engine's own nodes: the class is an operation, an instance one application of it."""

    __slots__ = ()
    node: Any  # the class of an operation's nodes
    promotes = True  # whether the inputs are cast to a common dtype before `forward`
    saves: tuple[str, ...] = ("self", "other")  # what torch calls the saved inputs, in their order
    packs_in_order = False  # whether saved values are packed as they were saved, and not by their names
    output_nr = 0  # which result of its node this place in the graph is
    nothing: OutputGrads | None = None  # gradient to use when none arrives; None means skip the node

    edges: tuple  # for each input: the node that made it, the leaf itself, or None (no gradient wanted)
    needs_input_grad: tuple[bool, ...]  # for each input: whether there is an edge
    saved: tuple | None  # what `save_for_backward` kept; () for nothing, None once freed
    number: int  # creation number: newer nodes have larger ones
    shape: tuple  # of the result, and so of the upstream gradient; one each, if there are several results
    dtype: np.dtype
    places: list  # for nodes with several results only: weak references to their Outputs
    _hooks: hooks.Hooks | None  # watchers of the gradient; None for most nodes

    if TYPE_CHECKING:  # what `forward` notes on it for `backward`

        def __getattr__(self, name: str) -> Any: ...
        def __setattr__(self, name: str, value: object) -> None: ...
        @classmethod
        def apply(cls, *inputs: Any, **settings: Any) -> Any: ...

    def __init_subclass__(cls, *, name: str | None = None, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        if "node" not in cls.__dict__:
            cls.node = NodeClass(name or f"{cls.__name__}Backward0")
            if prepare is not None:
                prepare(cls)

    @staticmethod
    def forward(ctx: Any, *inputs: Any, **settings: Any) -> Any:
        """The result of the operation; every operation has its own."""
        raise NotImplementedError("a Function needs a static method forward(ctx, *inputs)")

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """dL/d(input) for every input, from grad_output = dL/d(result); every operation has its own."""
        raise NotImplementedError(messages.NO_BACKWARD)

    @property
    def next_functions(self) -> tuple:
        """torch's view of the edges: one pair (node, which of its results) per input, (None, 0) for a constant."""
        return tuple([seen(edge) for edge in self.edges])

    def place(self, index: int) -> Operation | Output:
        """Where the gradient of a result is added up: the node itself, or one of several Outputs, recreated if gone."""
        if not hasattr(self, "places"):
            return self
        result = self.places[index]()
        if result is None:
            result = Output(self, index, np.broadcast_to(np.zeros((), self.dtype), self.shape[index]))
            self.places[index] = weakref.ref(result)
        return result


class DeadEnd:
    """A dead end: where the gradient goes for an unrecorded view of a tensor that requires grad."""

    edges, number, output_nr = (), 0.5, 0  # older than every node, but not a leaf
    owner = nothing = None

    def __init__(self, array: np.ndarray):
        self.shape, self.dtype = array.shape, array.dtype
        self._hooks: hooks.Hooks | None = None

    def pullback(self, grad_output: Upstream, retain_graph: bool = False) -> tuple:
        """The walk ends here."""
        return ()


class AccumulateGrad(Node):
    """How a leaf appears in `next_functions`: the end of an edge, where the gradient is kept."""

    __module__ = "builtins"  # the module that torch prints
    variable: Tensor
    next_functions = ()
    _accumulated: ClassVar[Callable]  # `saved_attributes.accumulate`
    _known: ClassVar[weakref.WeakValueDictionary] = weakref.WeakValueDictionary()

    def __new__(cls, variable: Tensor) -> AccumulateGrad:
        """Always the same object while somebody holds it."""
        self = cls._known.setdefault(id(variable), object.__new__(cls))
        self.variable = variable
        return self

    def _place(self) -> Tensor:
        return self.variable

    def __call__(self, *grads: Tensor | None) -> tuple:
        """`node(grad)`: the leaf adds it to what it keeps."""
        return self._accumulated(*grads)


class GradientEdge(NamedTuple):
    """A place in the graph by name: a node, and which of its results. `autograd.grad` and `backward` take it."""

    node: Any
    output_nr: int
    ownership_token: Any = None

    def _place(self) -> Any:
        """Where its gradient arrives."""
        place = self.node._place()
        return place if isinstance(place, Tensor) else place.place(self.output_nr)

    def stand_in(self) -> Tensor:
        """A tensor at this place, with nothing in it but its shape."""
        place = self._place()
        if isinstance(place, Tensor):
            return place
        result = Tensor._of(np.broadcast_to(np.zeros((), place.dtype), place.shape))
        result._made_by = place
        return result


def demand_inside_pass(node: Operation) -> None:
    """AttributeError outside a pass: `saved_tensors` is for `backward`, and torch's nodes have none."""
    if not state.running:
        raise AttributeError(f"{type(node).__name__!r} object has no attribute 'saved_tensors'")


def seen(target: Place | None) -> tuple:
    """An edge as torch shows it: the node and which of its results, AccumulateGrad for a leaf."""
    if target is None:
        return None, 0
    return (AccumulateGrad(target), 0) if isinstance(target, Tensor) else (target.owner, target.output_nr)


Place: TypeAlias = Operation | Output | DeadEnd | Tensor  # where an upstream gradient arrives
