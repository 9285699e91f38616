"""The part `walk`: its hints, and the mistakes people make in it."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from minigrad import leaf, scalar
from minigrad.graph.nodes import Place as NodeOrLeaf
from minigrad.scalar import Function
from minigrad.tensor import Tensor, Value
from minigrad_course.parts import Mistakes, Part, Shares
from minigrad_course.programs.program import Place

mistake = Mistakes("walk")
Arrived = dict[NodeOrLeaf | None, Value]
Send = Callable[[Arrived, NodeOrLeaf | None, Any], None]  # a wrong one may count on a share that is None
SharesOf = Callable[[Function, Value], Shares]


def merged(merge: Callable[[Value, Value], Value]) -> Send:
    """What a loop does with a share: None is skipped, the first is kept as it is, further ones are merged with it."""

    def send(arrived: Arrived, target: NodeOrLeaf | None, share: Value | None) -> None:
        if share is not None:
            arrived[target] = merge(arrived[target], share) if target in arrived else share

    return send


added = merged(operator.add)


def walk(
    root: NodeOrLeaf, grad_output: Value, retain_graph: bool, send: Send = added, shares_of: SharesOf | None = None
) -> None:
    """A walk that does `send(arrived, target, share)` with each share; a node has the `shares_of(node, total)`."""
    arrived: Arrived = {root: grad_output}
    for node in scalar.topological_order(root):
        if node not in arrived:
            continue
        total = arrived.pop(node)
        if isinstance(node, Tensor):
            leaf.receive(node, total)
            continue
        shares = shares_of(node, total) if shares_of else node.pullback(total, retain_graph)
        for target, share in zip(node.edges, shares, strict=True):
            send(arrived, target, share)


@mistake("last path wins", "what arrives on a second path overwrites what came on the first, instead of adding to it")
def last_path_wins(root: NodeOrLeaf, grad_output: Value, retain_graph: bool = False) -> None:
    walk(root, grad_output, retain_graph, merged(lambda before, share: share))


@mistake("first path wins", "only the first path to a node counts; every further one is ignored")
def first_path_wins(root: NodeOrLeaf, grad_output: Value, retain_graph: bool = False) -> None:
    walk(root, grad_output, retain_graph, merged(lambda before, share: before))


@mistake(
    "in place",
    "you add in place with +=, which also changes the share of another target that got the same array",
)
def adds_in_place(root: NodeOrLeaf, grad_output: Value, retain_graph: bool = False) -> None:
    walk(root, grad_output, retain_graph, merged(operator.iadd))


@mistake(
    "leaves in pieces",
    "a leaf receives each share as it comes, so its hooks run several times, each with a part of the gradient: add up "
    "its shares first, as those of any node",
)
def leaves_in_pieces(root: NodeOrLeaf, grad_output: Value, retain_graph: bool = False) -> None:
    def send(arrived: Arrived, target: NodeOrLeaf | None, share: Value | None) -> None:
        if share is not None and isinstance(target, Tensor):
            leaf.receive(target, share)
        else:
            added(arrived, target, share)

    walk(root, grad_output, retain_graph, send)


@mistake("starts with 1", "the walk starts with 1 instead of the upstream gradient it was given")
def starts_with_one(root: NodeOrLeaf, grad_output: Value, retain_graph: bool = False) -> None:
    walk(root, grad_output * 0 + 1, retain_graph)


@mistake("one total for all", "you give every node `grad_output`, the gradient of the end, instead of its own `total`")
def one_total_for_all(root: NodeOrLeaf, grad_output: Value, retain_graph: bool = False) -> None:
    walk(root, grad_output, retain_graph, shares_of=lambda node, _: node.pullback(grad_output, retain_graph))


@mistake(
    "always kept",
    "the nodes keep what they saved, whatever `retain_graph` says, so another backward still finds it",
)
def always_kept(root: NodeOrLeaf, grad_output: Value, retain_graph: bool = False) -> None:
    walk(root, grad_output, True)


@mistake("zero skipped", "you skip a share of 0 like a None: `if share` tests whether it is nonzero, use `is not None`")
def zero_skipped(root: NodeOrLeaf, grad_output: Value, retain_graph: bool = False) -> None:
    def shares_of(node: Function, total: Value) -> Shares:
        return [share if share else None for share in node.pullback(total, retain_graph)]

    walk(root, grad_output, retain_graph, shares_of=shares_of)


@mistake(
    "None added",
    "you add a share of None like the others: where no gradient is wanted, the target is None as well",
)
def none_added(root: NodeOrLeaf, grad_output: Value, retain_graph: bool = False) -> None:
    def send(arrived: Arrived, target: NodeOrLeaf | None, share: Value) -> None:
        arrived[target] = arrived[target] + share if target in arrived else share

    walk(root, grad_output, retain_graph, send)


@mistake(
    "target tested",
    "you test the target for None, and not the share: an operation may have no share for an input that has a target",
)
def target_tested(root: NodeOrLeaf, grad_output: Value, retain_graph: bool = False) -> None:
    def send(arrived: Arrived, target: NodeOrLeaf | None, share: Value) -> None:
        if target is not None:
            arrived[target] = arrived[target] + share if target in arrived else share

    walk(root, grad_output, retain_graph, send)


@mistake(
    "stops at None",
    "what comes after a None is lost or goes astray: `break` and `return` skip all shares after it, and once Nones are "
    "taken out of one list, the shares and the edges no longer line up",
)
def stops_at_none(root: NodeOrLeaf, grad_output: Value, retain_graph: bool = False) -> None:
    def shares_of(node: Function, total: Value) -> Shares:
        shares = node.pullback(total, retain_graph)
        behind = shares.index(None) if None in shares else len(shares)
        return [share if place < behind else None for place, share in enumerate(shares)]

    walk(root, grad_output, retain_graph, shares_of=shares_of)


@mistake(
    "not there yet",
    "a target that has received nothing yet is not in `arrived`: put the first share there as it is",
)
def not_there_yet(root: NodeOrLeaf, grad_output: Value, retain_graph: bool = False) -> None:
    def send(arrived: Arrived, target: NodeOrLeaf | None, share: Value | None) -> None:
        if share is not None:
            arrived[target] = arrived[target] + share

    walk(root, grad_output, retain_graph, send)


@mistake(
    "retain_graph dropped",
    "you do not pass `retain_graph` on to `pullback`: the saved values are gone after the first backward, even if "
    "they should be kept",
)
def retain_graph_dropped(root: NodeOrLeaf, grad_output: Value, retain_graph: bool = False) -> None:
    walk(root, grad_output, False)


def multiplied(shares: Shares, total: Value, what: Callable[[Value, Value], Value]) -> Shares:
    """The shares, with something done to each of them."""
    return [share if share is None else what(share, total) for share in shares]


@mistake("total twice", "you multiply each share by `total`, but `pullback` has already done that")
def total_twice(root: NodeOrLeaf, grad_output: Value, retain_graph: bool = False) -> None:
    walk(
        root,
        grad_output,
        retain_graph,
        shares_of=lambda node, total: multiplied(node.pullback(total, retain_graph), total, operator.mul),
    )


@mistake("total sent on", "you send `total` itself to each target, instead of the share that `pullback` returns for it")
def total_sent_on(root: NodeOrLeaf, grad_output: Value, retain_graph: bool = False) -> None:
    walk(
        root,
        grad_output,
        retain_graph,
        shares_of=lambda node, total: multiplied(node.pullback(total, retain_graph), total, lambda share, total: total),
    )


@mistake(
    "None added to 0",
    "you add a share of None like the others: where no gradient is wanted, the share and the target are None",
)
def none_added_to_0(root: NodeOrLeaf, grad_output: Value, retain_graph: bool = False) -> None:
    def send(arrived: Arrived, target: NodeOrLeaf | None, share: Value) -> None:
        arrived[target] = arrived.get(target, 0) + share

    walk(root, grad_output, retain_graph, send)


part = Part(
    Place("walk", "engine", "backpropagate", "minigrad.scalar"),
    points=3,
    minutes=12,
    difficulty=2,
    hints=(
        "Loop over `node.edges` and the shares together: `zip` gives one pair per edge.",
        "Skip a pair whose share is None.",
        "If the target is already in `arrived`, put the sum there. If not, put the share there.",
    ),
    mistakes=tuple(mistake),
    probe="""
def walked(name, function, upstream, times=1, **options):
    x, y = leaves(2.0, 3.0)
    end = function(x, y)
    for _ in range(times):
        tell(lambda: end.backward(torch.tensor(upstream, dtype=torch.float64), **options), f"a walk from {name}| ")
    tell(lambda: x.grad, f"the gradient of x, from {name}| ")
    tell(lambda: y.grad, f"the gradient of y, from {name}| ")

class First(torch.autograd.Function):
    forward = staticmethod(lambda ctx, first, second: first * 1)
    backward = staticmethod(lambda ctx, grad_output: (grad_output, None))

walked("`x * y`", lambda x, y: x * y, 1.0)
walked("`x * y` with an upstream gradient of 5", lambda x, y: x * y, 5.0)
walked("`x * y * 7.0`", lambda x, y: x * y * 7.0, 1.0)
walked("`1 * y * x`", lambda x, y: torch.ones(()) * y * x, 1.0)
walked("`x * x + y`", lambda x, y: x * x + y, 1.0)
walked("`(x * y) * (x * y + y)` with an upstream gradient of 5", lambda x, y: (x * y) * (x * y + y), 5.0)
walked("`(x * y) + ((x + y) + y)` with an upstream gradient of 5", lambda x, y: (x * y) + ((x + y) + y), 5.0)
walked("`(x - 2.0) * y`", lambda x, y: (x - 2.0) * y, 1.0)
walked("`x * y` twice", lambda x, y: x * y, 1.0, times=2)
walked("`x * y` twice, with retain_graph=True", lambda x, y: x * y, 1.0, times=2, retain_graph=True)
walked("a node with no share for its second input", lambda x, y: First.apply(x, y) + y, 1.0)
""",
)
