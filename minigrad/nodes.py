"""How nodes show themselves: their class under torch's name, what they saved, where their edges lead.

Mirrors https://docs.pytorch.org/docs/stable/autograd.html#autograd-graph
"""

from __future__ import annotations

import itertools
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
