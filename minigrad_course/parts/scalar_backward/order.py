"""The part `order`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from minigrad.graph.nodes import Place as NodeOrLeaf
from minigrad_course.parts import Mistakes, Part
from minigrad_course.programs.program import Place

mistake = Mistakes("order")


TOO_EARLY = "you list a node before some of its users have had their turn, so what they send later is lost"


def searched(root: NodeOrLeaf, targets_of: Callable[[NodeOrLeaf], Iterable[NodeOrLeaf | None]]) -> list[NodeOrLeaf]:
    """What a depth-first search finds, in the order of its visits."""
    results: dict[NodeOrLeaf, None] = {}
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node not in results:
            results[node] = None
            waiting.extend(target for target in targets_of(node) if target is not None)
    return list(results)


@mistake("depth first", TOO_EARLY)
def depth_first(root: NodeOrLeaf) -> list[NodeOrLeaf]:
    return searched(root, lambda node: reversed(node.edges))


@mistake("depth first, last edge first", TOO_EARLY)
def last_edge_first(root: NodeOrLeaf) -> list[NodeOrLeaf]:
    return searched(root, lambda node: node.edges)


@mistake(
    "breadth first",
    "you list nodes by their distance from the end, so a short path to a node counts before a long one",
)
def breadth_first(root: NodeOrLeaf) -> list[NodeOrLeaf]:
    results = {root: None}
    waiting = [root]
    for node in waiting:
        for target in node.edges:
            if target is not None and target not in results:
                results[target] = None
                waiting.append(target)
    return list(results)


@mistake("recursive", "the search calls itself once per node, and Python stops after about a thousand")
def recursive(root: NodeOrLeaf) -> list[NodeOrLeaf]:
    results: set[NodeOrLeaf] = set()
    finished: list[NodeOrLeaf] = []

    def visit(node: NodeOrLeaf) -> None:
        results.add(node)
        for target in node.edges:
            if target is not None and target not in results:
                visit(target)
        finished.append(node)

    visit(root)
    return finished[::-1]


@mistake(
    "depth first, recursive",
    "you list a node when the search enters it, before some of its users have had their turn; and the search calls "
    "itself, which Python allows only about a thousand times",
)
def depth_first_recursive(root: NodeOrLeaf) -> list[NodeOrLeaf]:
    results: dict[NodeOrLeaf, None] = {}

    def visit(node: NodeOrLeaf) -> None:
        results[node] = None
        for target in node.edges:
            if target is not None and target not in results:
                visit(target)

    visit(root)
    return list(results)


@mistake(
    "no leaf reached",
    "your list runs from the oldest to the newest; it has to begin with `root` and end with the leaves",
)
def oldest_first(root: NodeOrLeaf) -> list[NodeOrLeaf]:
    return sorted(breadth_first(root), key=lambda node: node.number)


def right_order(root: NodeOrLeaf) -> list[NodeOrLeaf]:
    """What is asked for."""
    return sorted(breadth_first(root), key=lambda node: -node.number)


@mistake("root left out", "`root` is not in your list, and the walk begins with it")
def root_left_out(root: NodeOrLeaf) -> list[NodeOrLeaf]:
    return right_order(root)[1:]


@mistake("leaves left out", "the leaves are not in your list: the walk ends with them, so nothing arrives there")
def leaves_left_out(root: NodeOrLeaf) -> list[NodeOrLeaf]:
    return [node for node in right_order(root) if node is root or node.edges]


@mistake("one level", "you list what `root` uses, but not what that uses in turn: follow the edges to the leaves")
def one_level(root: NodeOrLeaf) -> list[NodeOrLeaf]:
    return [root, *[target for target in dict.fromkeys(root.edges) if target is not None]]


NODES_ARE_NO_TENSORS = (
    "you ask a node for `is_leaf`, which only a tensor has; a leaf needs no case of its own: its `edges` are empty"
)


@mistake("is_leaf of a node", NODES_ARE_NO_TENSORS)
def is_leaf_of_a_node(root: NodeOrLeaf) -> list[NodeOrLeaf]:
    return [root] if root.is_leaf else searched(root, lambda node: node.edges)


@mistake("is_leaf of a target", NODES_ARE_NO_TENSORS)
def is_leaf_of_a_target(root: NodeOrLeaf) -> list[NodeOrLeaf]:
    return [target for target in root.edges if target is not None and not target.is_leaf]


@mistake(
    "found in a list",
    "you look for nodes with `in` in a list, which uses `==`: two leaves with equal numbers count as one; use a set",
)
def found_in_a_list(root: NodeOrLeaf) -> list[NodeOrLeaf]:
    results = [root]
    for node in results:
        results.extend(target for target in dict.fromkeys(node.edges) if target is not None and target not in results)
    return sorted(results, key=lambda node: -node.number)


@mistake(
    "once for each use",
    "you list a node or leaf once for each of its users; list it once, after all of them: remember what you have "
    "found already",
)
def once_for_each_use(root: NodeOrLeaf) -> list[NodeOrLeaf]:
    result = searched(root, lambda node: node.edges)
    listed = []
    for node in sorted([item for item in result if item.edges], key=lambda node: -node.number):
        listed.append(node)
        listed.extend(target for target in node.edges if target is not None and not target.edges)
    return listed


@mistake(
    "leaves first",
    "the list begins with the leaves and ends with `root`: reverse it; and the search calls itself, which Python "
    "allows only about a thousand times",
)
def leaves_first(root: NodeOrLeaf) -> list[NodeOrLeaf]:
    return recursive(root)[::-1]


@mistake(
    "None followed",
    "you follow a None among the edges like a node: it means that no gradient is wanted there, and has no edges",
)
def none_followed(root: NodeOrLeaf) -> list[NodeOrLeaf]:
    result, waiting = {root}, [root]
    for node in waiting:
        new = [target for target in node.edges if target not in result]
        result.update(new)
        waiting += new
    return sorted(result, key=lambda node: -node.number)


@mistake(
    "told apart by number",
    "you tell nodes apart by `number`, but every leaf has the number 0, so only one leaf is left",
)
def told_apart_by_number(root: NodeOrLeaf) -> list[NodeOrLeaf]:
    results = {node.number: node for node in reversed(breadth_first(root))}
    return [results[number] for number in sorted(results, reverse=True)]


@mistake(
    "None waiting",
    "a None among the edges is put on the list as well, and has no `edges`: it means that no gradient is wanted there",
)
def none_waiting(root: NodeOrLeaf) -> list[NodeOrLeaf]:
    result, waiting = [], [root]
    while waiting:
        node = waiting.pop()
        if node not in result:
            result.append(node)
            waiting.extend(node.edges)
    return result


part = Part(
    Place("order", "engine", "topological_order", "minigrad.scalar", once=True),
    points=3,
    minutes=15,
    difficulty=3,
    hints=(
        "First collect everything you can reach: keep a set of what you have found, and a list of what still "
        "waits to be looked at. Look at one, put its unseen targets on the list, repeat.",
        "Now sort what you found. `number` says when a node was made. Which of the two is older, a "
        "user or what it uses?",
        "Sort what you found by `number`, newest first: `sorted` takes `key` and `reverse`.",
    ),
    mistakes=tuple(mistake),
    probe="""
def fits(end):
    listed = list(torch.scalar.topological_order(end.grad_fn))
    every, waiting = {end.grad_fn}, [end.grad_fn]
    while waiting:
        new = {each for each in waiting.pop().edges if each is not None} - every
        every |= new
        waiting += new
    place = {id(each): index for index, each in enumerate(listed)}
    late = sum(place.get(id(used), len(listed)) < place.get(id(user), -1) for user in every for used in user.edges)
    missing = len({id(each) for each in every} - set(place))
    return [len(listed) - len(every), missing, listed[:1] == [end.grad_fn], late]

x, y = leaves(2.0, 3.0)
same, = leaves(2.0)
h = x * y
deep = x
for _ in range(1200):
    deep = deep + y
for name, end in (
    ("`x + y`", x + y),
    ("`h * x` with `h = x * y`", h * x),
    ("`(h * y) * h` with `h = x * y`", (h * y) * h),
    ("`h * (h * y)` with `h = x * y`", h * (h * y)),
    ("`(x * 2) * y`", (x * 2) * y),
    ("`x * z`, two leaves with the same number", x * same),
    ("`x + x`", x + x),
    ("`h + 1`, where 1 is a constant tensor", h + torch.ones(())),
    ("a chain of 1200 nodes", deep),
):
    tell(lambda: fits(end), f"the list for {name}| ")
""",
)
