"""Freeing a graph without recursion, however deep it is.

Python frees an object with the last reference to it, and then what it held: one call in C inside another. How deep such
calls go before they are put off depends on the version of CPython, and in one of them a chain of operations needs more
stack than a thread has. So the graph breaks the chain itself. Nodes are numbered as they are made, and 128 numbers form
a window. When a node goes that points at one of an earlier window, what it held waits in a list, which the outermost
such node empties in a loop. So a path that is freed in C stays in one window: it has 128 nodes at most. Other nodes pay
nothing when they are freed, and nearly all nodes of a small graph are such.

Mirrors https://docs.pytorch.org/docs/stable/notes/autograd.html#how-autograd-encodes-the-history
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from minigrad.graph.nodes import Operation

WINDOW = -128  # number & WINDOW is where the number's window begins


class Waiting(threading.local):
    """What is still to be freed in this thread; None while nothing is being freed."""

    parts: list | None = None


waiting = Waiting()


def watch(node: Operation) -> bool:
    """Have a new node, which has its number and edges, freed in a loop if it points out of its window; say whether."""
    begin = node.number & WINDOW
    for target in node.edges:
        if target is not None and 0 < target.number < begin:  # a leaf, whose number is 0, ends the chain
            free_in_loop(node)
            return True
    return False


def free_in_loop(holder: object) -> None:
    """From now on, when the object goes, what it holds is not freed inside of it."""
    kind = type(holder)
    holder.__class__ = vars(kind).get("_in_loop") or in_loop(kind)


def class_of(node: object) -> type:
    """The class that a node was made with, however it is freed."""
    kind = type(node)
    return kind.__base__ if vars(kind).get("_in_loop") is kind else kind


def in_loop(kind: Any) -> type:
    """The class of such objects: a subclass with the same name, equal to the class itself."""

    def same(cls: Any) -> Any:
        return cls.__base__ if cls is cls._in_loop else cls

    def equal(cls: Any, other: Any) -> Any:
        return same(cls) is same(other) if hasattr(other, "_in_loop") else NotImplemented

    meta: Any = type("type", (type(kind),), {"__eq__": equal, "__hash__": lambda cls: type.__hash__(same(cls))})
    slots = [name for above in kind.__mro__ for name in vars(above).get("__slots__", ()) if not name.startswith("__")]

    def free(self: Any) -> None:
        parts = waiting.parts
        outermost = parts is None
        if parts is None:
            waiting.parts = parts = []
        parts += [getattr(self, name, None) for name in slots]
        parts.append(self.__dict__)
        for name in slots:
            setattr(self, name, None)
        self.__dict__ = {}
        if outermost:
            empty(parts)

    body = {"__slots__": (), "__module__": kind.__module__, "__qualname__": kind.__qualname__, "__del__": free}
    if hasattr(kind, "node"):  # an operation: this is no other one
        body["node"] = None
    kind._in_loop = made = meta(kind.__name__, (kind,), body)
    made._in_loop = made
    return made


def empty(parts: list) -> None:
    """Free the objects, and those that join them meanwhile."""
    try:
        while parts:
            parts.pop()
    finally:
        waiting.parts = None
