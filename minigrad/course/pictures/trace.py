"""What a program's graph is and what goes along its edges: the facts that the pictures of graphs draw."""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from minigrad import leaf, scalar
from minigrad.autograd import application
from minigrad.course.program import replaced
from minigrad.ops.creation import tensor
from minigrad.runtime import fastpath
from minigrad.runtime.multi_output import Output
from minigrad.scalar import Function
from minigrad.tensor import Tensor

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


@dataclasses.dataclass
class Spot:
    """One place in the graph: a leaf or an operation, and its value; `values` has one entry for each result."""

    label: str
    values: list[Any]
    shapes: list[tuple[int, ...]]
    kind: str  # "leaf", "node", or "kept": the node of a tensor that retains its gradient

    @property
    def keeps(self) -> bool:
        """True if the gradient that arrives here stays in a `.grad`."""
        return self.kind != "node"


@dataclasses.dataclass(frozen=True)
class Arrow:
    """One edge: the node that used it, what it used, and the share of the gradient that goes along it.

    `index` says which result of the target it used.
    """

    user: Any
    target: Any
    share: np.ndarray
    index: int = 0


@dataclasses.dataclass
class Trace:
    """A graph with all that a walk through it meets: spots in the walk's order, and arrows in the order of sending."""

    spots: dict[Any, Spot]
    arrows: list[Arrow]
    root: Any
    seed: np.ndarray
    result: str
    first: int = 0  # which result of the root the program returned

    def arrived(self, sent: list[Arrow]) -> dict[Any, dict[int, np.ndarray]]:
        """What has arrived at each spot, once these arrows are sent: spot -> result -> the sum for this result."""
        found: dict[Any, dict[int, np.ndarray]] = {self.root: {self.first: self.seed}}
        for arrow in sent:
            there = found.setdefault(arrow.target, {})
            there[arrow.index] = there[arrow.index] + arrow.share if arrow.index in there else arrow.share
        return found


def traced(
    program: Callable[..., Tensor], values: dict[str, Any], result: str = "f", upstream: Any = None, walk: bool = True
) -> Trace:
    """Run a program on leaves with these values, and send `upstream` back through its graph.

    A value that is already a Tensor of minigrad is used as it is. ValueError if there is no graph, or `upstream` is
    missing where it is needed. Without `walk` no share is computed, and no `upstream` is needed.
    """
    leaves = {name: leaf_of(value) for name, value in values.items()}
    with noted() as made:
        output = program(**leaves)
    if not isinstance(output, Tensor):
        raise ValueError(f"The program has to return a tensor of minigrad; it returned {type(output).__name__}.")
    root = output._source()
    if root is None:
        raise ValueError("The program's result has no graph: nothing that it was made from requires grad.")
    seed = seed_of(output, upstream, walk)
    order = [place for place in scalar.topological_order(root) if not isinstance(place, Output)]
    names = {**names_around(program), **{id(each): name for name, each in leaves.items()}}
    keepers = kept_places(root)
    spots = {place: spot_of(place, names, made, keepers) for place in order}
    spots[behind(root)].label = f"{result}: {spots[behind(root)].label}"
    with leaf.no_grad():
        arrows = sent(root, seed) if walk else edges(order)
    return Trace(spots, arrows, behind(root), seed, result, root.output_nr)


def names_around(program: Callable) -> dict[int, str]:
    """What the program calls the tensors that it finds around it: id -> name. A module's parameters are among them."""
    try:
        around = inspect.getclosurevars(program)
    except TypeError:  # a callable without Python code: a module, say
        around = inspect.ClosureVars({}, {}, {}, set())
    found = {}
    for name, each in {**around.globals, **around.nonlocals}.items():
        if isinstance(each, Tensor):
            found[id(each)] = name
        elif hasattr(each, "named_parameters"):
            found |= {id(one): f"{name}.{inner}" for inner, one in each.named_parameters()}
    return found


def leaf_of(value: Any) -> Tensor:
    """A leaf with this value, of float32."""
    if isinstance(value, Tensor):
        return value
    return tensor(np.asarray(value, np.float32).tolist(), requires_grad=True)


def seed_of(output: Tensor, upstream: Any, walk: bool) -> np.ndarray:
    """Where the walk starts: 1 for one number, what was given for more."""
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


def shape_list(each: Tensor) -> list[int]:
    """A tensor's shape as a list, which is how it is written."""
    return list(each.shape)


@contextlib.contextmanager
def noted() -> Iterator[dict[Any, list[Any]]]:
    """Note the results of every node that is made in the block: node -> one array for each result."""
    made: dict[Any, list[Any]] = {}
    apply, finish = Function.__dict__["apply"].__func__, application.made

    def note(each: Any) -> None:
        place = each._made_by if isinstance(each, Tensor) else None
        if place is not None:
            made.setdefault(behind(place), []).append(np.array(each._array))

    def noting(cls: type[Function], *inputs: Any, **settings: Any) -> Any:
        result = apply(cls, *inputs, **settings)
        for each in result if isinstance(result, tuple) else (result,):
            note(each)
        return result

    def finishing(*details: Any) -> Tensor:
        result = finish(*details)
        note(result)
        return result

    with (
        fastpath.off(),
        replaced(Function, "apply", classmethod(noting)),
        replaced(application, "made", finishing),
    ):
        yield made


def behind(place: Any) -> Any:
    """The node itself, where the graph has a place for each of its results."""
    return place.edges[0] if isinstance(place, Output) else place


def kept_places(root: Any) -> set[Any]:
    """The nodes of tensors that retain their gradient."""
    order = scalar.topological_order(root)
    nodes = [each for each in order if not isinstance(each, Tensor) and each._hooks is not None]
    return {behind(each) for each in nodes if each._hooks.keepers}


def spot_of(place: Any, names: dict[int, str], made: dict[Any, list[Any]], keepers: set[Any]) -> Spot:
    """A leaf with its name, or a node with the sign of its operation."""
    if isinstance(place, Tensor):
        return Spot(names.get(id(place), "leaf"), [np.array(place._array)], [tuple(place.shape)], "leaf")
    if hasattr(place, "forms"):  # a Function of the program's own
        shapes = [tuple(form[0]) for form in place.forms if form is not None]
    else:
        shapes = list(place.shape) if place.shape and isinstance(place.shape[0], tuple) else [tuple(place.shape)]
    return Spot(symbol(place), made.get(place, []), shapes, "kept" if place in keepers else "node")


def symbol(node: Any) -> str:
    """The sign of an operation, as it stands in a formula; else its name."""
    if hasattr(node, "forms"):
        return node.name().removesuffix("Backward")
    operation = type(node).__mro__[1].__name__
    if operation == "Pow":
        return f"**{node.exponent:g}"
    return SYMBOLS.get(operation) or re.sub(r"(?<=[a-z])(?=[A-Z0-9])", "_", operation).lower()  # LogSoftmax


def edges(order: list[Any]) -> list[Arrow]:
    """The edges of the graph, with nothing going along them."""
    return [
        Arrow(place, behind(target), np.zeros(())) for place in order for target in place.edges if target is not None
    ]


def sent(root: Any, seed: np.ndarray) -> list[Arrow]:
    """Walk back from the root, and list what goes along each edge."""
    arrows: list[Arrow] = []
    arrived: dict[Any, Any] = {root: seed}
    for place in scalar.topological_order(root):
        if isinstance(place, Tensor) or place not in arrived:
            continue
        for target, share in zip(place.edges, place.pullback(arrived[place], retain_graph=True), strict=True):
            if target is None or share is None:
                continue
            arrived[target] = arrived[target] + share if target in arrived else share
            if not isinstance(place, Output):
                arrows.append(Arrow(place, behind(target), np.asarray(share), target.output_nr))
    return arrows
