"""How nodes show themselves: their class under torch's name, what they saved, where their edges lead.

Mirrors https://docs.pytorch.org/docs/stable/autograd.html#autograd-graph
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, ClassVar

from minigrad.runtime import state
from minigrad.tensor import Tensor


class NodeClass:
    """The class of an operation's nodes, under torch's name; made when it is first asked for."""

    def __init__(self, name: str):
        self.name = name

    def __get__(self, instance: Any, operation: Any) -> type:
        body = {"__slots__": (), "__module__": "builtins", "node": None, "__call__": called}
        operation.node = type(self.name, (operation,), body)
        from minigrad.runtime import fastpath  # here, because they build on this

        fastpath.give(operation.node, operation)
        return operation.node


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
    output_nr = 0  # of a place of the graph: which result of its node it is

    def register_hook(self, fn: Callable) -> Any:
        """Call `fn(grad_inputs, grad_outputs)` when the node has run; it may return another tuple of grad_inputs.

        There is one of grad_inputs for each input, None where it wants no gradient.
        """
        from minigrad.runtime import hooks  # here and below, because they build on this

        return hooks.RemovableHandle(hooks.hooks_at(self._place()).leaving, fn)

    def register_prehook(self, fn: Callable) -> Any:
        """Call `fn(grad_outputs)` before the node runs; it may return another tuple."""
        from minigrad.runtime import hooks

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

    def __dir__(self) -> list[str]:
        from minigrad.runtime import saved_attributes

        saved = [f"_saved_{name}" for name in saved_attributes.names(self)]
        return [*dir(object), *PUBLIC, *saved, *[f"_raw_saved_{name}" for name in saved_attributes.raw_names(self)]]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} object at {id(self):#x}>"


def called(node: Any, *grads: Any, **keywords: Any) -> Any:
    """`node(grad_output)`: what the node alone makes of it, as `saved_attributes.called` says."""
    from minigrad.runtime import saved_attributes

    return saved_attributes.called(node, grads, keywords)


PUBLIC = ("_sequence_nr", "metadata", "name", "next_functions", "register_hook", "register_prehook", "requires_grad")
_METADATA: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()


class Saved:
    """`_saved_self`, `_saved_result`, `_saved_exponent` and the like: what a node keeps, under torch's names."""

    def __init__(self, name: str):
        self.name = name

    def __get__(self, node: Any, kind: type) -> Any:
        from minigrad.runtime import saved_attributes

        if self.name not in saved_attributes.names(node):
            raise AttributeError(f"{kind.__name__!r} object has no attribute '_saved_{self.name}'")
        return saved_attributes.value(node, self.name)


class RawSaved(Saved):
    """`_raw_saved_self` and the like: the same as something that takes hooks, if it is a tensor."""

    def __get__(self, node: Any, kind: type) -> Any:
        from minigrad.autograd import graph
        from minigrad.runtime import saved_attributes

        if self.name not in saved_attributes.raw_names(node):
            raise AttributeError(f"{kind.__name__!r} object has no attribute '_raw_saved_{self.name}'")
        return graph.SavedTensor(node, self.name)


# Each is there for every node, and says of most that there is none: a `__getattr__` would make every attribute slower.
SAVED = """
    alpha approximate batch1 batch2 beta condition correction delta diagonal dim dim0 dim1 dim2 dimension dims end
    exponent index indices input input_scale keepdim mask mat mat1 mat1_sym_sizes mat1_sym_strides mat2 mat2_sym_sizes
    mat2_sym_strides max min negative_slope normalized_shape offset ord other padding_idx pos_weight reduction repeats
    result scale scale_grad_by_freq self self_sym_numel self_sym_sizes self_sym_strides shifts size sparse sparse_grad
    split_size split_sizes start step target tensor tensor1 tensor2 value vec weight weight_sym_argsize_0
"""
for _name in SAVED.split():
    setattr(Node, f"_saved_{_name}", Saved(_name))
    setattr(Node, f"_raw_saved_{_name}", RawSaved(_name))


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


def in_pass() -> bool:
    """True while a backward pass runs."""
    return state.running


def demand_inside_pass(node: Any) -> None:
    """AttributeError outside a pass: `saved_tensors` is for `backward`, and torch's nodes have none."""
    if not in_pass():
        raise AttributeError(f"{type(node).__name__!r} object has no attribute 'saved_tensors'")


def freed(node: Any) -> tuple:
    """RuntimeError for a node whose saved values are freed; AttributeError outside a pass."""
    demand_inside_pass(node)
    return node.kept()


def seen(target: Any) -> tuple:
    """An edge as torch shows it: the node and which of its results, AccumulateGrad for a leaf."""
    if target is None:
        return None, 0
    return (AccumulateGrad(target), 0) if isinstance(target, Tensor) else (target.owner, target.output_nr)
