"""The part `free`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from minigrad.scalar import Function
from minigrad_course.parts import Mistakes, Part
from minigrad_course.programs.program import Place

mistake = Mistakes("free")


@mistake("always", "you free the saved values even if `retain_graph` asks you to keep them")
def always(node: Function, retain_graph: bool) -> None:
    if node.saved:
        node.saved = None


@mistake("nothing saved", "a node that saved nothing refuses a second backward as well, though nothing is missing")
def nothing_saved(node: Function, retain_graph: bool) -> None:
    if not retain_graph:
        node.saved = None


@mistake(
    "everything",
    "you set `node.saved` to None for every node, but some must stay as they are: those that saved nothing, and all "
    "of them if `retain_graph` asks for it",
)
def everything(node: Function, retain_graph: bool) -> None:
    node.saved = None


@mistake("never", "you free nothing: every second backward works, and the memory is never released")
def never_freed(node: Function, retain_graph: bool) -> None:
    pass


@mistake(
    "an empty tuple",
    "`node.saved` becomes an empty tuple; that means nothing was saved, None means it is gone",
)
def an_empty_tuple(node: Function, retain_graph: bool) -> None:
    if not retain_graph:
        node.saved = ()


@mistake(
    "upside down", "you free the saved values when `retain_graph` asks you to keep them, and keep them when it does not"
)
def freed_if_retained(node: Function, retain_graph: bool) -> None:
    if node.saved and retain_graph:
        node.saved = None


@mistake(
    "upside down, everything",
    "you set `node.saved` to None when `retain_graph` asks you to keep it, and keep it when it does not",
)
def upside_down_everything(node: Function, retain_graph: bool) -> None:
    if retain_graph:
        node.saved = None


@mistake("deleted", "you delete the attribute; the engine reads it, and None means that the saved values are gone")
def deleted(node: Function, retain_graph: bool) -> None:
    if node.saved and not retain_graph:
        del node.saved


part = Part(
    Place("free", "engine", "free", "minigrad.leaf"),
    points=2,
    minutes=6,
    difficulty=2,
    hints=(
        "When may you free the saved values? `retain_graph` says when not.",
        "A node with `node.saved == ()` has nothing to free: leave it as it is.",
        "`if node.saved and not retain_graph:`, then one line.",
    ),
    mistakes=tuple(mistake),
    probe="""
class Node:
    def __init__(self, saved):
        self.saved = saved

for saved in ((), (1.0,), (1.0, 2.0), None):
    for retain_graph in (False, True):
        node = Node(saved)
        tell(lambda: torch.leaf.free(node, retain_graph), "a call of `free`| ")
        told = f"`node.saved` after `free`, if it was {saved} and retain_graph={retain_graph}| "
        tell(lambda: node.saved, told)
""",
)
