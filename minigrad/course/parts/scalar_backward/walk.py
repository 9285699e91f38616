"""The part `walk`: its hints, and the mistakes people make in it."""

from __future__ import annotations

import operator
from typing import Any

from minigrad import leaf, scalar
from minigrad.course.parts import Mistakes, Part
from minigrad.course.program import Place
from minigrad.tensor import Tensor

mistake = Mistakes("walk")


def walk(root: Any, grad_output: Any, retain_graph: bool, merge: Any = operator.add, shares_of: Any = None) -> None:
    """A walk that merges what users send by `merge(before, share)`; a node sends `shares_of(node, total)`."""
    arrived = {root: grad_output}
    for node in scalar.topological_order(root):
        if node not in arrived:
            continue
        total = arrived.pop(node)
        if isinstance(node, Tensor):
            leaf.receive(node, total)
            continue
        shares = shares_of(node, total) if shares_of else node.pullback(total, retain_graph)
        for target, share in zip(node.edges, shares, strict=True):
            if share is not None:
                arrived[target] = merge(arrived[target], share) if target in arrived else share


@mistake("last path wins", "what arrives on a second path overwrites what came on the first, instead of adding")
def last_path_wins(root: Any, grad_output: Any, retain_graph: bool = False) -> None:
    walk(root, grad_output, retain_graph, lambda before, share: share)


@mistake("first path wins", "only the first path to a node counts; every further one is ignored")
def first_path_wins(root: Any, grad_output: Any, retain_graph: bool = False) -> None:
    walk(root, grad_output, retain_graph, lambda before, share: before)


@mistake(
    "in place",
    "the sum is made in place with +=, which also changes the share of another target that was sent the same array",
)
def adds_in_place(root: Any, grad_output: Any, retain_graph: bool = False) -> None:
    walk(root, grad_output, retain_graph, operator.iadd)


@mistake("starts with 1", "the walk starts with 1 and not with the upstream gradient it was given")
def starts_with_one(root: Any, grad_output: Any, retain_graph: bool = False) -> None:
    walk(root, grad_output * 0 + 1, retain_graph)


@mistake("one total for all", "every node is handed `grad_output`, the gradient of the end, and not its `total`")
def one_total_for_all(root: Any, grad_output: Any, retain_graph: bool = False) -> None:
    walk(root, grad_output, retain_graph, shares_of=lambda node, _: node.pullback(grad_output, retain_graph))


@mistake(
    "always kept",
    "what the nodes have saved is kept, whatever `retain_graph` says, so that one more backward finds it still there",
)
def always_kept(root: Any, grad_output: Any, retain_graph: bool = False) -> None:
    walk(root, grad_output, True)


@mistake("zero skipped", "a share of 0 is skipped like a None: `if share` asks if it is 0, `is not None` does not")
def zero_skipped(root: Any, grad_output: Any, retain_graph: bool = False) -> None:
    def shares_of(node: Any, total: Any) -> list:
        return [share if share is not None and share.any() else None for share in node.pullback(total, retain_graph)]

    walk(root, grad_output, retain_graph, shares_of=shares_of)


@mistake(
    "None added",
    "a share of None is added like the others: where no gradient is wanted the target is None, too, and leads nowhere",
)
def none_added(root: Any, grad_output: Any, retain_graph: bool = False) -> None:
    arrived = {root: grad_output}
    for node in scalar.topological_order(root):
        if node not in arrived:
            continue
        total = arrived.pop(node)
        if isinstance(node, Tensor):
            leaf.receive(node, total)
            continue
        for target, share in zip(node.edges, node.pullback(total, retain_graph), strict=True):
            arrived[target] = arrived[target] + share if target in arrived else share


@mistake(
    "stops at None",
    "the first None ends the loop: `break` and `return` leave out the shares behind it, `continue` only this one",
)
def stops_at_none(root: Any, grad_output: Any, retain_graph: bool = False) -> None:
    def shares_of(node: Any, total: Any) -> list:
        shares = node.pullback(total, retain_graph)
        behind = shares.index(None) if None in shares else len(shares)
        return [share if place < behind else None for place, share in enumerate(shares)]

    walk(root, grad_output, retain_graph, shares_of=shares_of)


part = Part(
    Place("walk", "engine", "backpropagate", "minigrad.scalar"),
    points=3,
    minutes=12,
    difficulty=2,
    hints=(
        "Go through `node.edges` and the shares side by side: `zip` gives one pair per edge.",
        "Skip a pair whose share is None.",
        "If the target is in `arrived` already, put the sum there. If not, put the share there.",
    ),
    mistakes=tuple(mistake),
)
