"""The part `order`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from typing import Any

from minigrad.course.parts import Mistakes, Part
from minigrad.course.program import Place

mistake = Mistakes("order")


TOO_EARLY = "a node is listed before some of its users have had their turn: what they send later is lost"


def searched(root: Any, targets_of: Any) -> list:
    """What a search finds that looks first at what it found last, in the order in which it looks."""
    found: dict[Any, None] = {}
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node not in found:
            found[node] = None
            waiting.extend(target for target in targets_of(node) if target is not None)
    return list(found)


@mistake("depth first", TOO_EARLY)
def depth_first(root: Any) -> list:
    return searched(root, lambda node: reversed(node.edges))


@mistake("depth first, last edge first", TOO_EARLY)
def last_edge_first(root: Any) -> list:
    return searched(root, lambda node: node.edges)


@mistake(
    "breadth first",
    "nodes are listed by their distance from the end: the short way to a node is taken before the long one",
)
def breadth_first(root: Any) -> list:
    found = {root: None}
    waiting = [root]
    for node in waiting:
        for target in node.edges:
            if target is not None and target not in found:
                found[target] = None
                waiting.append(target)
    return list(found)


@mistake("recursive", "the search calls itself, and Python allows only about a thousand calls inside calls")
def recursive(root: Any) -> list:
    found: set = set()
    finished: list = []

    def visit(node: Any) -> None:
        found.add(node)
        for target in node.edges:
            if target is not None and target not in found:
                visit(target)
        finished.append(node)

    visit(root)
    return finished[::-1]


@mistake(
    "depth first, recursive",
    "a node is listed when the search enters it, before some of its users have had their turn; and the search calls "
    "itself, which Python allows only about a thousand times",
)
def depth_first_recursive(root: Any) -> list:
    found: dict[Any, None] = {}

    def visit(node: Any) -> None:
        found[node] = None
        for target in node.edges:
            if target is not None and target not in found:
                visit(target)

    visit(root)
    return list(found)


@mistake(
    "no leaf reached",
    "no leaf is reached: the list has to begin with `root`, go from new to old, and end with the leaves",
)
def oldest_first(root: Any) -> list:
    return sorted(breadth_first(root), key=lambda node: node.number)


@mistake(
    "found in a list",
    "a node is looked for with `in` in a list, by `==`: two leaves that hold the same number are then one; use a set",
)
def found_in_a_list(root: Any) -> list:
    found = [root]
    for node in found:
        found.extend(target for target in dict.fromkeys(node.edges) if target is not None and target not in found)
    return sorted(found, key=lambda node: -node.number)


@mistake(
    "once for each use",
    "a leaf is listed behind each of its users, and so receives what they send in pieces; it belongs there once, "
    "behind all of them",
)
def once_for_each_use(root: Any) -> list:
    found = searched(root, lambda node: node.edges)
    listed = []
    for node in sorted([each for each in found if each.edges], key=lambda node: -node.number):
        listed.append(node)
        listed.extend(target for target in node.edges if target is not None and not target.edges)
    return listed


part = Part(
    Place("order", "engine", "topological_order", "minigrad.scalar", once=True),
    points=3,
    minutes=15,
    difficulty=3,
    hints=(
        "First collect everything that can be reached: a set of what was found, and a list of what still "
        "waits to be looked at. Look at one, put its unseen targets on the list, repeat.",
        "Now put what you found in order. `number` says when a node was made. Which of two is older, a "
        "user or what it uses?",
        "Sort what you found by `number`, newest first: `sorted` takes `key` and `reverse`.",
    ),
    mistakes=tuple(mistake),
)
