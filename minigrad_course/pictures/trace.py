"""What a program's graph is and what goes along its edges: the facts that the pictures of graphs draw."""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from types import FrameType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from minigrad import leaf, parts, scalar
from minigrad.autograd.function import Context
from minigrad.graph import freeing
from minigrad.graph.multi_output import Output
from minigrad.graph.nodes import Node
from minigrad.graph.nodes import Place as NodeOrLeaf
from minigrad.ops.creation import tensor
from minigrad.tensor import Tensor, Value

SYMBOLS = {
    "Add": "+",
    "Sub": "−",
    "Rsub": "−",
    "Neg": "−",
    "Mul": "×",
    "Div": "÷",
    "Reciprocal": "1/x",
    "Mv": "@",
    "Mm": "@",
    "Dot": "@",
}


@dataclasses.dataclass(frozen=True)
class Constant:
    """An input that gets no gradient: a number, or a tensor that does not require one."""

    name: str
    value: np.ndarray


@dataclasses.dataclass
class Spot:
    """One place in the graph: a leaf or an operation, and its value; `values` has one entry for each result."""

    label: str
    values: list[np.ndarray]
    shapes: list[tuple[int, ...]]
    kind: str  # "leaf", "node", or "kept": the node of a tensor that retains its gradient
    name: str = ""  # its name in the program
    constants: tuple[
        Constant | None, ...
    ] = ()  # of a node: one entry for each edge, None where there is a node or leaf

    @property
    def keeps(self) -> bool:
        """True if the gradient that arrives here stays in a `.grad`."""
        return self.kind != "node"


@dataclasses.dataclass(frozen=True)
class Arrow:
    """One edge: the node, the value it used, and the share of the gradient that goes along the edge.

    `index` says which result of the target it used.
    """

    user: NodeOrLeaf
    target: NodeOrLeaf
    share: np.ndarray
    index: int = 0
    slot: int = 0  # which input of the user it is


@dataclasses.dataclass
class Trace:
    """A graph with all that a walk through it meets: spots in the walk's order, and arrows in the order of sending."""

    spots: dict[NodeOrLeaf, Spot]
    arrows: list[Arrow]
    root: NodeOrLeaf
    seed: np.ndarray
    result: str
    first: int = 0  # which result of the root the program returned

    def arrived(self, sent: list[Arrow]) -> dict[NodeOrLeaf, dict[int, np.ndarray]]:
        """What has arrived at each spot, once these arrows are sent: spot -> result -> the sum for this result."""
        hits: dict[NodeOrLeaf, dict[int, np.ndarray]] = {self.root: {self.first: self.seed}}
        for arrow in sent:
            there = hits.setdefault(arrow.target, {})
            there[arrow.index] = there[arrow.index] + arrow.share if arrow.index in there else arrow.share
        return hits


def traced(
    program: Callable[..., Tensor],
    values: Mapping[str, ArrayLike],
    result: str = "f",
    upstream: ArrayLike | None = None,
    walk: bool = True,
) -> Trace:
    """Run a program on leaves with these values, and send `upstream` back through its graph.

    A minigrad Tensor is used unchanged. ValueError if there is no graph, or `upstream` is
    missing where it is needed. Without `walk` no share is computed, and no `upstream` is needed.
    """
    leaves = {name: leaf_of(value) for name, value in values.items()}
    local: dict[NodeOrLeaf, str] = {}
    with noted() as made, called(program, local):
        output = program(**leaves)
    if not isinstance(output, Tensor):
        raise ValueError(f"The program has to return a tensor of minigrad; it returned {type(output).__name__}.")
    root = output._source()
    if root is None:
        raise ValueError("The program's result has no graph: nothing that it was made from requires grad.")
    seed = seed_of(output, upstream, walk)
    order = [place for place in scalar.topological_order(root) if not isinstance(place, Output)]
    names = {**names_around(program), **{id(item): name for name, item in leaves.items()}}
    keepers = kept_places(root)
    spots = {place: spot_of(place, names, made, keepers) for place in order}
    for place in order:
        spots[place].name = names.get(id(place), "") if isinstance(place, Tensor) else local.get(place, "")
    spots[behind(root)].name = result
    spots[behind(root)].label = f"{result}: {spots[behind(root)].label}"
    with leaf.no_grad():
        arrows = sent(root, seed) if walk else edges(order)
    return Trace(spots, arrows, behind(root), seed, result, root.output_nr)


def names_around(program: Callable[..., Tensor]) -> dict[int, str]:
    """What the program calls the tensors that it finds around it: id -> name. A module's parameters are among them."""
    try:
        around = inspect.getclosurevars(program)
    except TypeError:  # a callable without Python code: a module, say
        around = inspect.ClosureVars({}, {}, {}, set())
    hits = {}
    for name, each in {**around.globals, **around.nonlocals}.items():
        if isinstance(each, Tensor):
            hits[id(each)] = name
        elif hasattr(each, "named_parameters"):
            hits |= {id(one): f"{name}.{inner}" for inner, one in each.named_parameters()}
    return hits


def leaf_of(value: ArrayLike) -> Tensor:
    """A leaf with this value, of float32."""
    if isinstance(value, Tensor):
        return value
    return tensor(np.asarray(value, np.float32).tolist(), requires_grad=True)


def seed_of(output: Tensor, upstream: ArrayLike | None, walk: bool) -> np.ndarray:
    """The start of the walk: 1 for one number, the given gradient for more."""
    if upstream is None:
        if walk and output.numel() != 1:
            raise ValueError(
                f"The result has the shape {shape_list(output)}. To draw the way back, give `upstream`, of that shape."
            )
        return np.ones(output.shape, np.float32)
    seed = np.asarray(upstream, np.float32)
    if seed.shape != output.shape:
        raise ValueError(f"`upstream` has the shape {list(seed.shape)}, and the result {shape_list(output)}.")
    return seed


def shape_list(item: Tensor) -> list[int]:
    """A tensor's shape as a list, which is how it is written."""
    return list(item.shape)


@dataclasses.dataclass
class Made:
    """What is known of a node from the moment it was made."""

    inputs: tuple[object, ...]
    values: list[np.ndarray] = dataclasses.field(default_factory=list)


def constants_of(place: NodeOrLeaf, inputs: tuple[object, ...], names: dict[int, str]) -> tuple[Constant | None, ...]:
    """The inputs of a node that get no gradient. An exponent is part of the node's sign."""
    if len(inputs) != len(place.edges) or hasattr(place, "exponent"):
        return ()
    return tuple(
        Constant(names.get(id(item), ""), np.asarray(item._array if isinstance(item, Tensor) else item))
        if edge is None and isinstance(item, (Tensor, int, float))
        else None
        for item, edge in zip(inputs, place.edges, strict=True)
    )


@contextlib.contextmanager
def called(program: Callable[..., Tensor], found: dict[NodeOrLeaf, str]) -> Iterator[None]:
    """Record the program's names for the results of its operations when it returns: node -> name."""
    code = getattr(program, "__code__", None)

    def look(frame: FrameType, event: str, _: object) -> None:
        if event == "return" and frame.f_code is code:
            tensors = {name: item for name, item in frame.f_locals.items() if isinstance(item, Tensor)}
            found.update({behind(item._made_by): name for name, item in tensors.items() if item._made_by is not None})

    before = sys.getprofile()
    sys.setprofile(look)
    try:
        yield
    finally:
        sys.setprofile(before)


@contextlib.contextmanager
def noted() -> Iterator[dict[object, Made]]:
    """Note the results of every node that is made in the block, and the constants that it used."""
    made: dict[object, Made] = {}

    class Noting(parts.Listener):
        def node_made(self, node: Node, inputs: tuple[object, ...], results: tuple[Tensor, ...]) -> None:
            values = [np.array(result._array) for result in results if result._made_by is not None]
            if values:
                is_own = isinstance(node, Context)  # of a Function of the program's own
                made[node._place() if is_own else node] = Made(() if is_own else inputs, values)

    with parts.observe(Noting()):
        yield made


def behind(place: NodeOrLeaf) -> NodeOrLeaf:
    """The node itself, where the graph has a place for each of its results."""
    return place.edges[0] if isinstance(place, Output) else place


def kept_places(root: NodeOrLeaf) -> set[NodeOrLeaf]:
    """The nodes of tensors that retain their gradient."""
    order = scalar.topological_order(root)
    nodes = [item for item in order if not isinstance(item, Tensor) and item._hooks is not None]
    return {behind(node) for node in nodes if node._hooks.keepers}


def spot_of(place: NodeOrLeaf, names: dict[int, str], made: dict[object, Made], keepers: set[NodeOrLeaf]) -> Spot:
    """A leaf with its name, or a node with the sign of its operation."""
    if isinstance(place, Tensor):
        return Spot(names.get(id(place), "leaf"), [np.array(place._array)], [tuple(place.shape)], "leaf")
    if hasattr(place, "forms"):  # a Function of the program's own
        shapes = [tuple(form[0]) for form in place.forms if form is not None]
    else:
        shapes = list(place.shape) if place.shape and isinstance(place.shape[0], tuple) else [tuple(place.shape)]
    known = made.get(place, Made(()))
    kind = "kept" if place in keepers else "node"
    return Spot(symbol(place), known.values, shapes, kind, constants=constants_of(place, known.inputs, names))


def symbol(node: Any) -> str:
    """The sign of an operation in a formula; otherwise its name."""
    if hasattr(node, "forms"):
        return node.name().removesuffix("Backward")
    operation = freeing.class_of(node).__mro__[1].__name__
    if operation == "Pow":
        return f"**{node.exponent:g}"
    return SYMBOLS.get(operation) or re.sub(r"(?<=[a-z])(?=[A-Z0-9])", "_", operation).lower()  # LogSoftmax


def edges(order: list[NodeOrLeaf]) -> list[Arrow]:
    """The edges of the graph, with nothing going along them."""
    return [
        Arrow(place, behind(target), np.zeros(()), slot=slot)
        for place in order
        for slot, target in enumerate(place.edges)
        if target is not None
    ]


def sent(root: NodeOrLeaf, seed: np.ndarray) -> list[Arrow]:
    """Walk back from the root, and list what goes along each edge."""
    arrows: list[Arrow] = []
    arrived: dict[NodeOrLeaf, Value] = {root: seed}
    for place in scalar.topological_order(root):
        if isinstance(place, Tensor) or place not in arrived:
            continue
        shares = place.pullback(arrived[place], retain_graph=True)
        for slot, (target, share) in enumerate(zip(place.edges, shares, strict=True)):
            if target is None or share is None:
                continue
            arrived[target] = arrived[target] + share if target in arrived else share
            if not isinstance(place, Output):
                arrows.append(Arrow(place, behind(target), np.asarray(share), target.output_nr, slot))
    return arrows


def local_derivatives(node: NodeOrLeaf, slot: int, most: int = 64) -> np.ndarray | None:
    """The derivative of a node's result by one of its inputs: its backward run with the upstream gradient 1.

    For a result of several numbers it is run once for each, with 1 there and 0 elsewhere; what comes has the shape of
    the result followed by that of the input. None if that would be too many numbers, or the node has several results.
    """
    shape = getattr(node, "shape", None)
    if not isinstance(shape, tuple) or (shape and isinstance(shape[0], tuple)) or not hasattr(node, "vjp"):
        return None
    size = int(np.prod(shape))
    if size > most:
        return None
    rows = []
    with leaf.no_grad():
        for one in np.eye(size, dtype=np.float32):
            rows.append(np.asarray(node.vjp(one.reshape(shape), True)[slot]))
    hits = np.reshape(rows, (*shape, *rows[0].shape))
    return hits if hits.size <= most else None
