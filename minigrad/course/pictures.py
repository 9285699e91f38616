"""Pictures of a program's graph: values on the way forward, gradients on the way back.

A picture is an SVG inside an `<img>` with alternative text: JupyterLab shows it before anything is run, a screen
reader can read it, and its bytes are the same on every build. The background is white in both themes.
"""

from __future__ import annotations

import base64
import contextlib
import dataclasses
import html
import io
from collections.abc import Callable, Iterator
from typing import Any

import networkx as nx
import numpy as np

from minigrad import scalar
from minigrad.course.program import replaced
from minigrad.operations.creation import tensor
from minigrad.scalar import Function
from minigrad.tensor import Tensor

# Okabe and Ito's colours, told apart by most colour-blind people
BLUE, GREEN, VERMILLION, GREY = "#0072B2", "#009E73", "#D55E00", "#555555"
COLUMN = 1.5  # inches from one column to the next
SYMBOLS = {"Add": "+", "Sub": "−", "Rsub": "−", "Neg": "−", "Mul": "×", "Div": "÷", "Reciprocal": "1/x"}


@dataclasses.dataclass(frozen=True)
class Picture:
    """An SVG with its alternative text."""

    svg: bytes
    alt: str

    def _repr_html_(self) -> str:
        data = base64.b64encode(self.svg).decode("ascii")
        return f'<img alt="{html.escape(self.alt)}" src="data:image/svg+xml;base64,{data}">'

    def __repr__(self) -> str:
        return self.alt


@dataclasses.dataclass
class Spot:
    """One place in the picture: a leaf or an operation, its value, and its gradient if it has one."""

    label: str
    value: float
    leaf: bool
    gradient: float | None = None


def graph(program: Callable[..., Tensor], backward: bool = False, result: str = "f", **values: float) -> Picture:
    """The graph of `program`, a function of scalar leaves, at the given values.

    With `backward` the arrows point the other way: each carries the share of the gradient that a node sends to an
    input, and every node shows the sum of what arrived. `result` is the name of the program's result.
    """
    leaves = {name: tensor(float(value), requires_grad=True) for name, value in values.items()}
    with traced() as made:
        output = program(**leaves)
    spots: dict[Any, Spot] = {leaf: Spot(name, leaf.item(), leaf=True) for name, leaf in leaves.items()}
    spots |= {node: Spot(symbol(node), float(value), leaf=False) for node, value in made.items()}
    root = output.grad_fn
    arrows = shares(root, spots)
    used = scalar.topological_order(root)
    spots = {place: spot for place, spot in spots.items() if place in used}
    if not backward:
        for spot in spots.values():
            spot.gradient = None
    spots[root].label = f"{result}: {spots[root].label}"
    drawing = nx.MultiDiGraph()
    drawing.add_nodes_from(used)
    drawing.add_edges_from((user, target, {"share": share}) for user, target, share in arrows)
    return Picture(draw(drawing, spots, root, backward), describe(spots, arrows, backward, result))


@contextlib.contextmanager
def traced() -> Iterator[dict[Function, Any]]:
    """Note the value of every node that is made in the block."""
    made: dict[Function, Any] = {}
    apply = Function.__dict__["apply"].__func__

    def noting(cls: type[Function], *inputs: Any, **settings: Any) -> Tensor:
        result = apply(cls, *inputs, **settings)
        if result.grad_fn is not None:
            made[result.grad_fn] = result.item()
        return result

    with replaced(Function, "apply", classmethod(noting)):
        yield made


def shares(root: Function, spots: dict[Any, Spot]) -> list[tuple[Any, Any, float]]:
    """Walk back from the root: set every spot's gradient, and list what goes along each edge."""
    arrows = []
    arrived: dict[Any, Any] = {root: np.ones(root.shape, root.dtype)}
    for node in scalar.topological_order(root):
        total = arrived[node]
        spots[node].gradient = float(total)
        if isinstance(node, Tensor):
            continue
        for target, share in zip(node.edges, node.pullback(total, retain_graph=True), strict=True):
            if share is not None:
                arrows.append((node, target, float(share)))
                arrived[target] = arrived[target] + share if target in arrived else share
    return arrows


def symbol(node: Any) -> str:
    """The sign of an operation, as it stands in a formula."""
    name = type(node).__mro__[1].__name__
    return f"**{node.exponent:g}" if name == "Pow" else SYMBOLS.get(name, name.lower())


def number(value: float | None) -> str:
    """A number as briefly as four digits allow."""
    return "" if value is None else f"{value:.4g}".replace("-", "−")


# --- drawing -------------------------------------------------------------------------------------


def layers(drawing: Any, root: Any) -> dict[Any, tuple[float, float]]:
    """A place for each spot: the result to the right, every input to the left of all its users."""
    depth = dict.fromkeys(drawing, 0)
    for node in nx.topological_sort(drawing):
        for target in drawing.successors(node):
            depth[target] = max(depth[target], depth[node] + 1)
    columns: dict[int, list[Any]] = {}
    for node in nx.dfs_preorder_nodes(drawing, root):
        columns.setdefault(-depth[node], []).insert(0, node)
    return nx.multipartite_layout(drawing, subset_key=columns)


def draw(drawing: Any, spots: dict[Any, Spot], root: Any, backward: bool) -> bytes:
    """The picture as SVG, the same bytes each time."""
    import matplotlib
    from matplotlib.figure import Figure

    at = grid(layers(drawing, root))
    edges = bent(drawing, at)
    right = 0.5 * COLUMN + max(x for x, _ in at.values())
    low = min([-0.5, *(edge.middle[1] - 0.15 for edge in edges)])
    high = max([0.5 + max(y for _, y in at.values()), *(edge.middle[1] + 0.15 for edge in edges)])
    figure = Figure(figsize=(right + 0.5 * COLUMN, high - low), facecolor="white")
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0), xlim=(-0.5 * COLUMN, right), ylim=(low, high))
    axes.set_axis_off()
    boxes = {node: box(axes, at[node], spots[node], node is root) for node in drawing}
    for edge in edges:
        arrow(axes, edge, at, boxes, backward)
        if backward:
            label(axes, edge.middle, number(edge.share))
    buffer = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "minigrad", "svg.fonttype": "path"}):
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    return buffer.getvalue()


def grid(places: dict[Any, tuple[float, float]]) -> dict[Any, tuple[float, float]]:
    """The same places in inches: columns COLUMN apart, rows 1 apart within the fullest column."""
    columns = sorted({round(float(x), 6) for x, _ in places.values()})
    found = {node: (columns.index(round(float(x), 6)), float(y)) for node, (x, y) in places.items()}
    gaps = [
        abs(y - other)
        for node, (column, y) in found.items()
        for twin, (same, other) in found.items()
        if node is not twin and column == same
    ]
    gap = min(gaps, default=1.0)
    lowest = min(y for _, y in found.values())
    return {node: (COLUMN * column, (y - lowest) / gap) for node, (column, y) in found.items()}


@dataclasses.dataclass(frozen=True)
class Edge:
    """An edge from a node to an input, how much its arrow is curved, and the middle of the curve."""

    user: Any
    target: Any
    share: float
    bend: float
    middle: tuple[float, float]


def bent(drawing: Any, at: dict[Any, tuple[float, float]]) -> list[Edge]:
    """The edges: twins are curved apart from each other, and a long edge goes around what lies between."""
    edges: list[Edge] = []
    for user, target, data in drawing.edges(data=True):
        (x0, y0), (x1, y1) = at[user], at[target]
        twins = drawing.number_of_edges(user, target)
        lane = sum(edge.user is user and edge.target is target for edge in edges)
        if twins > 1:
            bend = 0.28 * (1 if lane % 2 else -1) * (1 + lane // 2)
        else:
            bend = 0.3 if x0 - x1 > 1.5 * COLUMN else 0.0
        # matplotlib's arc3 has its control point `bend` times the edge's length to its side; the curve goes half-way
        middle = (x0 + x1) / 2 + bend * (y1 - y0) / 2, (y0 + y1) / 2 - bend * (x1 - x0) / 2
        edges.append(Edge(user, target, data["share"], bend, middle))
    return edges


def arrow(axes: Any, edge: Edge, at: dict[Any, Any], boxes: dict[Any, Any], backward: bool) -> None:
    """The arrow of an edge: with the data, or back with a share of the gradient."""
    from matplotlib.patches import FancyArrowPatch

    ends = (edge.user, edge.target) if backward else (edge.target, edge.user)
    axes.add_patch(
        FancyArrowPatch(
            *[at[end] for end in ends],
            patchA=boxes[ends[0]],
            patchB=boxes[ends[1]],
            shrinkA=3,
            shrinkB=3,
            arrowstyle="-|>",
            mutation_scale=12,
            linewidth=1.4,
            color=VERMILLION if backward else GREY,
            connectionstyle=f"arc3,rad={edge.bend if backward else -edge.bend}",
            zorder=1,
        )
    )


def label(axes: Any, place: tuple[float, float], text: str) -> None:
    """The share that an edge carries, on the middle of its curve."""
    plate = {"facecolor": "white", "edgecolor": "none", "pad": 1.0}
    axes.text(*place, text, color=VERMILLION, fontsize=9, ha="center", va="center", bbox=plate, zorder=2)


def box(axes: Any, place: Any, spot: Spot, last: bool) -> Any:
    """A leaf or an operation with its name, its value and, on the way back, its gradient."""
    from matplotlib.patches import FancyBboxPatch

    x, y = place
    lines = [(spot.label, "black", 11), (number(spot.value), "black", 11)]
    if spot.gradient is not None:
        lines.append((f"grad {number(spot.gradient)}", VERMILLION, 9))
    half = 0.1 * len(lines) + 0.03
    patch = FancyBboxPatch(
        (x - 0.41, y - half),
        0.82,
        2 * half,
        boxstyle="round,pad=0.02,rounding_size=0.09",
        facecolor="#EAF3FA" if spot.leaf else "#F6F6F6",
        edgecolor=BLUE if spot.leaf else GREEN if last else GREY,
        linewidth=2.0 if spot.leaf or last else 1.2,
        zorder=3,
    )
    axes.add_patch(patch)
    for index, (text, colour, size) in enumerate(lines):
        height = y + 0.2 * ((len(lines) - 1) / 2 - index)
        axes.text(x, height, text, color=colour, fontsize=size, ha="center", va="center", zorder=4)
    return patch


def describe(spots: dict[Any, Spot], arrows: list, backward: bool, result: str) -> str:
    """The picture in words."""
    leaves = [
        f"{spot.label} = {number(spot.value)}" + (f" with gradient {number(spot.gradient)}" if backward else "")
        for spot in spots.values()
        if spot.leaf
    ]
    steps = []
    for node, spot in spots.items():
        if spot.leaf:
            continue
        inputs = [spots[target].label for user, target, _ in arrows if user is node]
        line = f"{spot.label} of {' and '.join(inputs)} gives {number(spot.value)}"
        if backward and spot.gradient is not None:
            line += f", gradient {number(spot.gradient)}"
        steps.append(line)
    way = "Backward" if backward else "Forward"
    return f"{way} through the graph of {result}. Leaves: {', '.join(leaves)}. Operations: {'; '.join(steps)}."
