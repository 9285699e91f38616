"""The part `free`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from typing import Any

from minigrad.course.parts import Mistakes, Part
from minigrad.course.program import Place

mistake = Mistakes("free")


@mistake("always", "the saved values are freed even where `retain_graph` asks to keep them")
def always(node: Any, retain_graph: bool) -> None:
    if node.saved:
        node.saved = None


@mistake("nothing saved", "a node that saved nothing refuses a second backward too; it has nothing to miss")
def nothing_saved(node: Any, retain_graph: bool) -> None:
    if not retain_graph:
        node.saved = None


@mistake(
    "everything",
    "`node.saved` is set to None for every node, though some must stay as they are: those that saved nothing, and all "
    "of them where `retain_graph` asks for it",
)
def everything(node: Any, retain_graph: bool) -> None:
    node.saved = None


@mistake("never", "nothing is freed: every second backward works, and the memory is never given back")
def never_freed(node: Any, retain_graph: bool) -> None:
    pass


@mistake(
    "an empty tuple",
    "`node.saved` becomes an empty tuple; that says that nothing was saved, None that it is gone",
)
def an_empty_tuple(node: Any, retain_graph: bool) -> None:
    if not retain_graph:
        node.saved = ()


@mistake("upside down", "the saved values are freed when `retain_graph` asks to keep them, and kept when it does not")
def freed_if_retained(node: Any, retain_graph: bool) -> None:
    if node.saved and retain_graph:
        node.saved = None


part = Part(
    Place("free", "engine", "free", "minigrad.leaf"),
    points=2,
    minutes=6,
    difficulty=2,
    hints=(
        "When may the saved values go? `retain_graph` says when not.",
        "A node with `node.saved == ()` has nothing to free: leave it as it is.",
        "`if node.saved and not retain_graph:` and then one line.",
    ),
    mistakes=tuple(mistake),
)
