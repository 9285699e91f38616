"""Pictures of a program's graph: values on the way forward, gradients on the way back."""

from __future__ import annotations

import dataclasses
import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import networkx as nx
import numpy as np
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Rectangle

from minigrad.course.pictures import canvas
from minigrad.course.pictures.canvas import BLUE, GREEN, GREY, INK, ORANGE, VERMILLION, Picture
from minigrad.course.pictures.trace import Arrow, Spot, Trace, traced
from minigrad.tensor import Tensor

GAP, ROW = 0.68, 0.4  # inches between columns, and between rows
LINE = 0.19  # inches from one line of text to the next
LARGE, SMALL = 11, 9


def graph(
    program: Callable[..., Tensor], backward: bool = False, result: str = "f", upstream: Any = None, **values: Any
) -> Picture:
    """The graph of `program`, a function of leaves, at the given values: numbers, lists, arrays or Tensors.

    With `backward` the arrows point the other way: each carries the share of the gradient that a node sends to an
    input, and every box shows the sum of what arrived. A leaf, or a tensor that retains its gradient, keeps it as
    `.grad`; elsewhere it is only passing. A result of several numbers needs `upstream`, what it starts with there.
    `result` is the name of the program's result.
    """
    trace = traced(program, values, result, upstream, walk=backward)
    stage = Stage(trace.arrows, finished=True) if backward else None
    return Picture(draw(trace, stage), describe(trace, backward))


@dataclasses.dataclass(frozen=True)
class Stage:
    """How far a walk has come: the arrows that have been sent, those being sent now, and the spot that sends them."""

    sent: list[Arrow]
    now: tuple[Arrow, ...] = ()
    at: Any = None
    finished: bool = False


# --- boxes ---------------------------------------------------------------------------------------


@dataclasses.dataclass
class Box:
    """A spot as a box with lines of text (text, colour, size), and where its middle is."""

    lines: list[tuple[str, str, int]]
    width: float
    height: float
    x: float = 0.0
    y: float = 0.0

    def covers(self, x: float, y: float, margin: float = 0.0) -> bool:
        """True if a point lies in the box, or nearer to it than the margin."""
        return abs(x - self.x) < self.width / 2 + margin and abs(y - self.y) < self.height / 2 + margin

    def meets(self, other: Box) -> bool:
        """True if the two boxes overlap."""
        across = abs(self.x - other.x) < (self.width + other.width) / 2
        return across and abs(self.y - other.y) < (self.height + other.height) / 2


def boxed(lines: list[tuple[str, str, int]], least: float = 0.0, margin: float = 0.1) -> Box:
    """A box around lines of text."""
    widest = max(canvas.width_of(text, size) for text, _, size in lines)
    return Box(lines, max(least, widest + 2 * margin), LINE * len(lines) + 0.08)


def box_of(spot: Spot, upstream: dict[int, np.ndarray] | None, waits: bool) -> Box:
    """The box of a spot: its name, its value, and on the way back what has arrived."""
    several = len(spot.shapes) > 1
    lines = [(spot.label, "black", LARGE)]
    for index, shape in enumerate(spot.shapes):
        value = spot.values[index] if index < len(spot.values) else None
        if shape or several:
            lines.append((f"shape {canvas.shape_text(shape)}", GREY, SMALL))
        lines += [(text, "black", LARGE) for text in (canvas.rows(value) if value is not None else [])]
    for index, gradient in sorted((upstream or {}).items()):
        name = ".grad" if spot.kind == "leaf" else "upstream"
        name = f"{name} {index}" if several else name
        texts, more = canvas.rows(gradient), " so far" if waits else ""
        if not texts:
            texts = [f"shape {canvas.shape_text(np.shape(gradient))}"]
        head = [f"{name} {texts[0]}{more}"] if len(texts) == 1 else [f"{name}{more}", *texts]
        lines += [(text, INK, SMALL) for text in head]
    if upstream and spot.kind == "kept":
        lines.append(("kept in .grad", INK, SMALL))
    return boxed(lines, least=0.86)


# --- places --------------------------------------------------------------------------------------


def network(trace: Trace) -> Any:
    """The graph as networkx knows it: from each user to what it used."""
    drawing = nx.MultiDiGraph()
    drawing.add_nodes_from(trace.spots)
    drawing.add_edges_from((arrow.user, arrow.target) for arrow in trace.arrows)
    return drawing


def layers(drawing: Any, root: Any) -> dict[Any, tuple[int, float]]:
    """A column and a height for each spot: the result to the right, every input to the left of all its users."""
    depth = dict.fromkeys(drawing, 0)
    for node in nx.topological_sort(drawing):
        for target in drawing.successors(node):
            depth[target] = max(depth[target], depth[node] + 1)
    columns: dict[int, list[Any]] = {}
    for node in nx.dfs_preorder_nodes(drawing, root):
        columns.setdefault(-depth[node], []).insert(0, node)
    places = nx.multipartite_layout(drawing.subgraph(itertools.chain(*columns.values())), subset_key=columns)
    deepest = max(depth.values())
    return {node: (deepest - depth[node], float(places[node][1])) for node in places}


def place(drawing: Any, root: Any, boxes: dict[Any, Box], widest_label: float) -> None:
    """Give every box its place in inches: columns and rows as wide and high as what stands in them."""
    where = layers(drawing, root)
    columns: dict[int, list[Any]] = {}
    for node, (column, _) in where.items():
        columns.setdefault(column, []).append(node)
    heights = sorted({round(height, 6) for _, height in where.values()})
    steps = [after - before for before, after in itertools.pairwise(heights)]
    pairs = [
        abs(where[one][1] - where[other][1])
        for nodes in columns.values()
        for one, other in itertools.combinations(nodes, 2)
    ]
    unit = min(pairs, default=min(steps, default=1.0))
    row = max(box.height for box in boxes.values()) + ROW
    x = 0.0
    for column in sorted(columns):
        width = max(boxes[node].width for node in columns[column])
        for node in columns[column]:
            boxes[node].x = x + width / 2
            boxes[node].y = where[node][1] / unit * row
        x += width + max(GAP, widest_label + 0.5)


# --- arrows --------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Curve:
    """How an edge is drawn: how much it is bent, and the box of its label."""

    arrow: Arrow
    bend: float
    label: Box

    def point(self, boxes: dict[Any, Box], part: float) -> tuple[float, float]:
        """A point of the curve, 0 at the user and 1 at what it used."""
        return on_curve(boxes[self.arrow.user], boxes[self.arrow.target], self.bend, part)


def on_curve(start: Box, end: Box, bend: float, part: float) -> tuple[float, float]:
    """A point of matplotlib's arc3: its control point is `bend` times the edge's length to its side."""
    x0, y0, x1, y1 = start.x, start.y, end.x, end.y
    middle = (x0 + x1) / 2 + bend * (y1 - y0), (y0 + y1) / 2 - bend * (x1 - x0)
    a, b, c = (1 - part) ** 2, 2 * part * (1 - part), part**2
    return a * x0 + b * middle[0] + c * x1, a * y0 + b * middle[1] + c * y1


def curves(trace: Trace, boxes: dict[Any, Box], labelled: bool) -> list[Curve]:
    """The edges: twins are bent apart from each other, and an edge goes around what lies between its ends."""
    found: list[Curve] = []
    for arrow in trace.arrows:
        twins = sum(other.user is arrow.user and other.target is arrow.target for other in trace.arrows)
        lane = sum(other.arrow.user is arrow.user and other.arrow.target is arrow.target for other in found)
        others = [box for node, box in boxes.items() if node is not arrow.user and node is not arrow.target]
        if twins > 1:
            bends = [0.28 * (1 if lane % 2 else -1) * (1 + lane // 2)]
        else:
            bends = [0.0, 0.15, -0.15, 0.3, -0.3, 0.45, -0.45, 0.6, -0.6]
        lines = label_lines(arrow) if labelled else [("", INK, SMALL)]
        found.append(min(tried(arrow, bends, boxes, others, lines, found), key=lambda pair: pair[0])[1])
    return found


def tried(
    arrow: Arrow, bends: list[float], boxes: dict[Any, Box], others: list[Box], lines: list, found: list[Curve]
) -> Iterator[tuple[tuple, Curve]]:
    """Each way to draw an edge, with what speaks against it."""
    start, end = boxes[arrow.user], boxes[arrow.target]
    for order, bend in enumerate(bends):
        points = [on_curve(start, end, bend, part / 40) for part in range(41)]
        seen = [part / 40 for part, at in enumerate(points) if not (start.covers(*at) or end.covers(*at))] or [0.5]
        hidden = sum(box.covers(*at, 0.04) for at in points for box in others)
        for far, share in enumerate((0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8)):
            label = boxed(lines, margin=0.04)
            label.height -= 0.04
            label.x, label.y = on_curve(start, end, bend, seen[0] + share * (seen[-1] - seen[0]))
            clash = sum(label.meets(box) for box in [*others, start, end, *(curve.label for curve in found)])
            yield (hidden + 8 * clash, order, far), Curve(arrow, bend, label)


def label_lines(arrow: Arrow) -> list[tuple[str, str, int]]:
    """The share that an edge carries, as text."""
    texts = canvas.rows(arrow.share) or [f"shape {canvas.shape_text(np.shape(arrow.share))}"]
    return [(text, INK, SMALL) for text in texts]


# --- drawing -------------------------------------------------------------------------------------


def arranged(trace: Trace, stage: Stage | None) -> tuple[dict[Any, Box], list[Curve]]:
    """The boxes and the edges in their places, as they are at the end of a walk: nothing moves on the way there."""
    arrows = trace.arrows if stage else []
    arrived = trace.arrived(arrows) if stage else {}
    half_way = stage is not None and not stage.finished
    users = Counter(arrow.target for arrow in arrows)
    # A box that has to wait for several users needs room to say so.
    boxes = {node: box_of(spot, arrived.get(node), half_way and users[node] > 1) for node, spot in trace.spots.items()}
    labels = [canvas.width_of(text, size) for arrow in arrows for text, _, size in label_lines(arrow)]
    place(network(trace), trace.root, boxes, max(labels, default=0.0))
    edges = curves(trace, boxes, labelled=stage is not None)
    left, low, _, _ = extent(boxes, edges)
    for box in [*boxes.values(), *(edge.label for edge in edges)]:
        box.x, box.y = box.x - left, box.y - low
    return boxes, edges


def extent(boxes: dict[Any, Box], edges: list[Curve]) -> tuple[float, float, float, float]:
    """Left, low, right and top of everything, with a little room."""
    solid = [*boxes.values(), *(edge.label for edge in edges)]
    points = [edge.point(boxes, part / 10) for edge in edges for part in range(11)]
    xs = [box.x + side * box.width / 2 for box in solid for side in (-1, 1)] + [x for x, _ in points]
    ys = [box.y + side * box.height / 2 for box in solid for side in (-1, 1)] + [y for _, y in points]
    return min(xs) - 0.1, min(ys) - 0.1, max(xs) + 0.1, max(ys) + 0.1


def draw(trace: Trace, stage: Stage | None) -> bytes:
    """The picture as SVG, the same bytes each time. Without a stage it is the way forward."""
    boxes, edges = arranged(trace, stage)
    figure, axes = canvas.sheet(*extent(boxes, edges)[2:])
    if stage and not stage.finished:
        draw_stage(axes, trace, stage, boxes, edges)
    else:
        patches = {node: draw_box(axes, boxes[node], spot, node is trace.root) for node, spot in trace.spots.items()}
        for edge in edges:
            draw_arrow(axes, edge, boxes, patches, VERMILLION if stage else GREY, back=stage is not None)
            if stage:
                draw_label(axes, edge.label)
    return canvas.picture_of(figure, "").svg


def draw_stage(axes: Any, trace: Trace, stage: Stage, boxes: dict[Any, Box], edges: list[Curve]) -> None:
    """A walk half-way: what has arrived so far, and what is being sent now; the rest is grey."""
    done, now = {id(each) for each in stage.sent}, {id(each) for each in stage.now}
    # What is sent now has arrived, too: the sum in the box is what stands there after this step.
    arrived = trace.arrived([*stage.sent, *stage.now])
    waiting = {arrow.target for arrow in trace.arrows if id(arrow) not in done | now}
    patches = {}
    for node, spot in trace.spots.items():
        current = box_of(spot, arrived.get(node), waits=node in waiting)
        boxes[node].lines = current.lines
        patches[node] = draw_box(axes, boxes[node], spot, node is trace.root, lit=node is stage.at)
    for edge in edges:
        sent = id(edge.arrow) in done | now
        fresh = id(edge.arrow) in now
        draw_arrow(
            axes, edge, boxes, patches, VERMILLION if sent else "#999999", back=sent, width=2.6 if fresh else 1.4
        )
        if sent:
            draw_label(axes, edge.label)


def draw_arrow(
    axes: Any, edge: Curve, boxes: dict[Any, Box], patches: dict[Any, Any], colour: str, back: bool, width: float = 1.4
) -> None:
    """The arrow of an edge: with the data, or back with a share of the gradient."""
    ends = (edge.arrow.user, edge.arrow.target) if back else (edge.arrow.target, edge.arrow.user)
    axes.add_patch(
        FancyArrowPatch(
            *[(boxes[end].x, boxes[end].y) for end in ends],
            patchA=patches[ends[0]],
            patchB=patches[ends[1]],
            shrinkA=3,
            shrinkB=3,
            arrowstyle="-|>",
            mutation_scale=12,
            linewidth=width,
            color=colour,
            connectionstyle=f"arc3,rad={edge.bend if back else -edge.bend}",
            zorder=1,
        )
    )


def draw_label(axes: Any, label: Box) -> None:
    """The share that an edge carries, on its curve."""
    corner = label.x - label.width / 2, label.y - label.height / 2
    axes.add_patch(Rectangle(corner, label.width, label.height, facecolor="white", edgecolor="none", zorder=2))
    for index, (text, colour, size) in enumerate(label.lines):
        height = label.y + LINE * ((len(label.lines) - 1) / 2 - index)
        canvas.write(axes, label.x, height, text, color=colour, fontsize=size, zorder=2)


def draw_box(axes: Any, box: Box, spot: Spot, last: bool, lit: bool = False) -> Any:
    """A leaf (blue), a node that keeps its gradient (double line), or another node; the result is green."""
    colour = BLUE if spot.kind == "leaf" else GREEN if last else GREY
    face = "#FFF3D6" if lit else "#EAF3FA" if spot.kind == "leaf" else "#F6F6F6"
    thick = 2.0 if spot.kind == "leaf" or last else 1.2
    patch = outline(
        axes, box, 0.0, facecolor=face, edgecolor=ORANGE if lit else colour, linewidth=3.0 if lit else thick
    )
    if spot.kind == "kept":
        outline(axes, box, 0.05, facecolor="none", edgecolor=BLUE, linewidth=1.2)
    for index, (text, shade, size) in enumerate(box.lines):
        height = box.y + LINE * ((len(box.lines) - 1) / 2 - index)
        canvas.write(axes, box.x, height, text, color=shade, fontsize=size, zorder=4)
    return patch


def outline(axes: Any, box: Box, away: float, **settings: Any) -> Any:
    """A rounded frame around a box, a little away from it."""
    patch = FancyBboxPatch(
        (box.x - box.width / 2 - away, box.y - box.height / 2 - away),
        box.width + 2 * away,
        box.height + 2 * away,
        boxstyle="round,pad=0,rounding_size=0.1",
        zorder=3,
        **settings,
    )
    axes.add_patch(patch)
    return patch


# --- words ---------------------------------------------------------------------------------------


def describe(trace: Trace, backward: bool) -> str:
    """The picture in words."""
    arrived = trace.arrived(trace.arrows) if backward else {}
    leaves = []
    steps = []
    for node, spot in trace.spots.items():
        got = upstream_words(arrived.get(node))
        if spot.kind == "leaf":
            leaves.append(f"{spot.label} = {canvas.said(spot.values[0])}" + (f" with gradient {got}" if got else ""))
            continue
        inputs = " and ".join(trace.spots[arrow.target].label for arrow in trace.arrows if arrow.user is node)
        line = f"{spot.label} of {inputs} gives {value_words(spot)}"
        if got:
            line += f", {'gradient' if spot.kind == 'kept' else 'upstream gradient'} {got}"
        steps.append(line + (", which it keeps" if spot.kind == "kept" else ""))
    way = "Backward" if backward else "Forward"
    return f"{way} through the graph of {trace.result}. Leaves: {', '.join(leaves)}. Operations: {'; '.join(steps)}."


def value_words(spot: Spot) -> str:
    """What a node made."""
    values = spot.values or [np.zeros(shape) for shape in spot.shapes]
    if not spot.values:
        return " and ".join(f"numbers of shape {canvas.shape_text(shape)}" for shape in spot.shapes)
    return " and ".join(canvas.said(value) for value in values)


def upstream_words(upstream: dict[int, np.ndarray] | None) -> str:
    """What arrived at a spot."""
    return " and ".join(canvas.said(upstream[index]) for index in sorted(upstream)) if upstream else ""
