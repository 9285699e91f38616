"""Nested tuples, lists and dicts: their leaves in a row, and the same form around other leaves.
Mirrors https://docs.pytorch.org/docs/stable/func.api.html
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any


def leaves(tree: Any) -> list:
    """What is in the tuples, lists and dicts, from left to right; a tree that is none of them is its own leaf."""
    if isinstance(tree, (tuple, list)):
        return [leaf for item in tree for leaf in leaves(item)]
    return [leaf for item in tree.values() for leaf in leaves(item)] if isinstance(tree, dict) else [tree]


def form(tree: Any) -> Any:
    """The tree without its leaves: two trees have the same form if these are equal."""
    if isinstance(tree, (tuple, list)):
        return type(tree), [form(item) for item in tree]
    return {key: form(item) for key, item in tree.items()} if isinstance(tree, dict) else None


def filled(tree: Any, values: Iterator) -> Any:
    """The form of the tree with other leaves, taken from left to right."""
    if isinstance(tree, (tuple, list)):
        items = [filled(item, values) for item in tree]
        return type(tree)(*items) if hasattr(tree, "_fields") else type(tree)(items)
    if isinstance(tree, dict):
        return type(tree)((key, filled(item, values)) for key, item in tree.items())
    return next(values)


def mapped(change: Callable[[Any], Any], tree: Any) -> Any:
    """The tree with each leaf changed."""
    return filled(tree, iter([change(leaf) for leaf in leaves(tree)]))


def shown(tree: Any) -> str:
    """The form of a tree as torch's errors show it: `(*, [*])`."""
    if isinstance(tree, (tuple, list)):
        items = ", ".join([shown(item) for item in tree])
        return f"[{items}]" if isinstance(tree, list) else f"({items}{',' * (len(tree) == 1)})"
    items = ", ".join([f"{key!r}: {shown(item)}" for key, item in tree.items()]) if isinstance(tree, dict) else ""
    return f"{{{items}}}" if isinstance(tree, dict) else "*"


def spec(tree: Any) -> str:
    """The form of a tree as torch prints a TreeSpec."""
    if not isinstance(tree, (tuple, list, dict)):
        return "*"
    keys = [*tree] if isinstance(tree, dict) else None
    inside = [spec(item) for item in (tree.values() if isinstance(tree, dict) else tree)]
    return f"TreeSpec({type(tree).__name__}, {keys}, [{(',' + chr(10) + '  ').join(inside)}])"
