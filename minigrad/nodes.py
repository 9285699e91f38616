"""How nodes show themselves: their class under torch's name, what they saved, where their edges lead.

Mirrors https://docs.pytorch.org/docs/stable/autograd.html#autograd-graph
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable
from typing import Any

from minigrad.tensor import Tensor


class NodeClass:
    """The class of an operation's nodes, under torch's name; made when it is first asked for."""

    def __init__(self, name: str):
        self.name = name

    def __get__(self, instance: Any, operation: Any) -> type:
        slots = itertools.chain.from_iterable(each.__dict__.get("__slots__", ()) for each in operation.__mro__)
        saved = {f"_saved_{role}": Saved(role) for role in (*operation.saves, "result", *slots)}
        body = {"__slots__": (), "__module__": "builtins", "node": None, **saved}
        operation.node = type(self.name, (operation,), body)
        from minigrad import shortcuts  # here, because they build on this

        shortcuts.give(operation.node, operation)
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

    def register_hook(self, fn: Callable) -> Any:
        """Call `fn(grad_inputs, grad_outputs)` when the node has run; it may return another tuple of grad_inputs.

        There is one of grad_inputs for each input, None where it wants no gradient.
        """
        from minigrad import hooks  # here and below, because they build on this

        return hooks.RemovableHandle(hooks.of_node(self._place()).leaving, fn)

    def register_prehook(self, fn: Callable) -> Any:
        """Call `fn(grad_outputs)` before the node runs; it may return another tuple."""
        from minigrad import hooks

        return hooks.RemovableHandle(hooks.of_node(self._place()).entering, fn)

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

    def _place(self) -> Any:
        """Where the walk meets it."""
        return self

    def __repr__(self) -> str:
        return f"<{type(self).__name__} object at {id(self):#x}>"


_METADATA: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()


class Saved:
    """`_saved_self`, `_saved_result`, `_saved_exponent` and the like: what a node keeps, under torch's names."""

    def __init__(self, role: str):
        self.role = role

    def __get__(self, node: Any, kind: type) -> Any:
        if hasattr(kind, self.role) and self.role not in ("self", "other"):
            return getattr(node, self.role)  # an exponent, an axis
        if self.role not in node.roles():
            raise AttributeError(f"{node.name()!r} object has no attribute '_saved_{self.role}'")
        each = node.kept()[node.roles().index(self.role)]
        return each.made_by(node) if hasattr(each, "made_by") else each


def seen(target: Any) -> tuple:
    """An edge as torch shows it: the node and which of its results, AccumulateGrad for a leaf."""
    from minigrad import leaf, scalar  # here, because they build on this

    if isinstance(target, scalar.Output):
        return target.node, target.index
    return (leaf.AccumulateGrad(target) if isinstance(target, Tensor) else target), 0
