"""Where the boxes and arrows of a graph stand: from left to right for wide columns, from top to bottom for narrow ones.

Both the views and the still picture draw this layout. Nothing moves during a walk: each box has room from
the start for its contents at the end.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from minigrad.graph.nodes import Place as NodeOrLeaf
from minigrad_course.pictures import canvas, svg
from minigrad_course.pictures.trace import Arrow, Constant, Trace

HEAD, VALUE, SMALL, LABEL = 13, 15, 12, 12.5  # sizes of text in pixels
LINE, PORT, AIR = 18, 26, 14  # between lines of text, arrows at a box, boxes
Point = tuple[float, float]
PHONE = 336  # pixels: no text makes a picture of standing lines wider


@dataclasses.dataclass
class Box:
    """A leaf, an operation, or a constant, with its contents at the end of the walk."""

    place: Any  # a node or leaf; None for a constant
    kind: str  # "leaf", "node", "result", "kept" or "constant"
    name: str
    sign: str
    value: list[str]
    shape: str
    gradient: list[str]
    width: float = 0.0
    height: float = 0.0

    def __post_init__(self) -> None:
        head = f"{self.name}  {self.sign}".strip()
        sizes = [(head, HEAD + 1), *((item, VALUE) for item in self.value), *((item, SMALL) for item in self.gradient)]
        self.width = round(max([44, *(svg.width_of(text, size) + 22 for text, size in [*sizes, (self.shape, 11)])]))
        small = self.kind == "constant"
        lines = bool(head) + len(self.value) + bool(self.shape) + (0 if small else len(self.gradient))
        self.height = LINE * lines + 12

    def data(self) -> dict[str, object]:
        """What a view has to know of it."""
        return {"kind": self.kind, "name": self.name, "sign": self.sign, "shape": self.shape}


@dataclasses.dataclass
class Line:
    """An edge from a value to its user. `slot` says which input of the user it is."""

    user: int
    target: int
    slot: int
    label: str
    arrow: Arrow | None = None  # None: a constant, to which nothing goes back


@dataclasses.dataclass
class Layout:
    """The places of everything, in pixels."""

    width: float
    height: float
    boxes: list[list[float]]
    paths: list[str]
    ends: list[list[float]]  # of each edge: where it leaves, and where it arrives
    labels: list[list[Any]]  # of each edge: x, y, and how its text is anchored

    def data(self) -> dict[str, object]:
        """As JSON."""
        return {name: rounded(value) for name, value in dataclasses.asdict(self).items()}


def rounded(value: Any) -> Any:
    """Numbers with one decimal at most."""
    if isinstance(value, list):
        return [rounded(item) for item in value]
    return value if isinstance(value, str) else int(value) if value == int(value) else round(float(value), 1)


class Board:
    """A trace as boxes and lines, placed both ways."""

    def __init__(self, trace: Trace, labels: dict[int, str], back: bool = True):
        """`labels` holds the longest text of each arrow, by the arrow's id. `back`: boxes have room for gradients."""
        self.trace = trace
        arrived = trace.arrived(trace.arrows) if back else {}
        self.boxes = [self.box(place, arrived.get(place)) for place in trace.spots]
        self.number = {box.place: index for index, box in enumerate(self.boxes)}
        self.lines: list[Line] = []
        for place, spot in trace.spots.items():
            here = [arrow for arrow in trace.arrows if arrow.user is place]
            for slot in range(max([len(spot.constants), *(item.slot + 1 for item in here)], default=0)):
                self.connect(place, slot, [item for item in here if item.slot == slot], spot.constants, labels)
        self.wide, self.tall = self.placed(upright=False), self.placed(upright=True)

    def box(self, place: NodeOrLeaf, gradients: dict[int, np.ndarray] | None) -> Box:
        """The box of a leaf or an operation."""
        spot = self.trace.spots[place]
        return Box(
            place,
            "result" if place is self.trace.root else spot.kind,
            spot.name or ("leaf" if spot.kind == "leaf" else ""),
            "" if spot.kind == "leaf" else spot.label.split(": ")[-1],
            [line for value in spot.values or (None,) for line in lines_of(value)],
            " ".join(canvas.shape_text(shape) for shape in spot.shapes if shape),
            self.got(place, gradients or {}),
        )

    def got(self, place: NodeOrLeaf, gradients: dict[int, np.ndarray]) -> list[str]:
        """What arrived at a box as lines: a line for each of its results."""
        several = len(self.trace.spots[place].shapes) > 1
        return [
            self.kept(place, lines_of(item), f" {index}" if several else "")
            for index, item in sorted(gradients.items())
        ]

    def kept(self, place: NodeOrLeaf, lines: list[str], number: str = "") -> str:
        """A gradient as shown in a box: a leaf's .grad, or another box's upstream gradient."""
        return f"{'grad' if self.trace.spots[place].keeps else 'up'}{number} {text_of(lines)}"

    def connect(
        self,
        place: NodeOrLeaf,
        slot: int,
        arrows: list[Arrow],
        constants: Sequence[Constant | None],
        labels: dict[int, str],
    ) -> None:
        """The edge to one input of a node; a constant gets a separate box next to each user."""
        user = self.number[place]
        for arrow in arrows:
            self.lines.append(Line(user, self.number[arrow.target], slot, labels.get(id(arrow), ""), arrow))
        constant = constants[slot] if slot < len(constants) and not arrows else None
        if constant is not None:
            shape = canvas.shape_text(constant.value.shape) if constant.value.ndim else ""
            text = lines_of(constant.value)
            self.boxes.append(Box(None, "constant", constant.name, "", text, shape, []))
            self.lines.append(Line(user, len(self.boxes) - 1, slot, ""))

    # --- places ----------------------------------------------------------------------------------

    def ranks(self) -> list[int]:
        """How far each box is from the result: further than all of its users."""
        result = [0] * len(self.boxes)
        for _ in self.boxes:
            for line in self.lines:
                result[line.target] = max(result[line.target], result[line.user] + 1)
        return result

    def placed(self, upright: bool) -> Layout:
        """Every box and line in its place."""
        ranks = self.ranks()
        across = [box.width if upright else box.height for box in self.boxes]
        along = [box.height if upright else box.width for box in self.boxes]
        # An edge that passes a rank by gets a narrow place there, so that it goes around the boxes.
        links, ways = [], []
        sizes, layer_of = list(across), list(ranks)
        for line in self.lines:
            way = [line.target]
            for rank in range(ranks[line.target] - 1, ranks[line.user], -1):
                sizes.append(10)
                layer_of.append(rank)
                way.append(len(sizes) - 1)
            way.append(line.user)
            ways.append(way)
            links += [(way[n], way[n + 1]) for n in range(len(way) - 1)]
        middle = spread(self.ordered(layer_of, links), sizes, links, AIR)
        deepest = max(ranks)
        start, starts, depth = 0.0, {}, {}
        for rank in range(deepest, -1, -1):
            inside = [along[n] for n in range(len(self.boxes)) if ranks[n] == rank]
            starts[rank], depth[rank] = start, max(inside)
            into = [line for line in self.lines if ranks[line.user] == rank - 1]
            text = max((svg.width_of(line.label, LABEL) for line in into), default=0.0)
            start += depth[rank] + (60 if upright else max(46.0, text + 34))
        centre = [starts[ranks[n]] + depth[ranks[n]] / 2 for n in range(len(self.boxes))]
        dummies = [starts[rank] + depth[rank] / 2 for rank in layer_of[len(self.boxes) :]]
        return self.drawn(upright, middle, centre + dummies, ways, depth, layer_of)

    def ordered(self, layer_of: list[int], links: list[tuple[int, int]]) -> list[list[int]]:
        """The boxes of each rank from left to right: in the order in which a reader of the program meets them."""
        inputs: dict[int, list[int]] = {}
        for target, user in links:
            inputs.setdefault(user, []).append(target)
        order: list[list[int]] = [[] for _ in range(max(layer_of) + 1)]
        seen: set[int] = set()
        waiting = [0]
        while waiting:
            node = waiting.pop()
            if node not in seen:
                seen.add(node)
                order[layer_of[node]].append(node)
                waiting += reversed(inputs.get(node, []))
        return order

    def drawn(
        self,
        upright: bool,
        middle: list[float],
        centre: list[float],
        ways: list[list[int]],
        depth: dict[int, float],
        layer_of: list[int],
    ) -> Layout:
        """Boxes, paths and labels, moved so that nothing is cut off."""
        boxes = []
        for n, box in enumerate(self.boxes):
            x, y = (middle[n], centre[n]) if upright else (centre[n], middle[n])
            boxes.append([x - box.width / 2, y - box.height / 2, box.width, box.height])
        paths, ends, labels, texts = [], [], [], []
        for line, way in zip(self.lines, ways, strict=True):
            leaves_at = self.port(line, boxes, upright, middle, way, leaving=True)
            arrives_at = self.port(line, boxes, upright, middle, way, leaving=False)
            points = [leaves_at]
            for node in way[1:-1]:
                half = depth[layer_of[node]] / 2
                points += [(centre[node] - half, middle[node]), (centre[node] + half, middle[node])]
            points.append(arrives_at)
            paths.append(points)
            ends.append([leaves_at, arrives_at])
            labels.append(over(line, points))
            texts.append(svg.width_of(line.label, LABEL))
        if upright:
            labels = beside(self.lines, paths, boxes)
        return shifted(boxes, paths, ends, labels, texts, upright)

    def port(
        self, line: Line, boxes: list[list[float]], upright: bool, middle: list[float], way: list[int], leaving: bool
    ) -> tuple[float, float]:
        """Where an edge touches a box, as (along, across): each edge has its own place."""
        box = line.target if leaving else line.user
        if leaving:
            twins = [line for line in self.lines if line.target == box]
            twins.sort(key=lambda item: (middle[item.user], item.slot))
            step = 12.0
        else:
            twins = sorted((line for line in self.lines if line.user == box), key=lambda item: item.slot)
            step = float(PORT)
        x, y, width, height = boxes[box]
        size, from_, along = (width, x, y + height) if upright else (height, y, x + width)
        step = min(step, (size - 16) / max(len(twins) - 1, 1))
        across = from_ + size / 2 + step * (twins.index(line) - (len(twins) - 1) / 2)
        return (along if leaving else (y if upright else x), across)

    def data(self) -> dict[str, object]:
        """What a view draws: boxes, edges, and the two ways to place them."""
        return {
            "boxes": [box.data() for box in self.boxes],
            "edges": [[line.target, line.user, int(line.arrow is None)] for line in self.lines],
            "layouts": {"wide": self.wide.data(), "tall": self.tall.data()},
        }


def lines_of(value: ArrayLike | None) -> list[str]:
    """A value as a few short lines."""
    return [] if value is None else canvas.rows(value) or ["…"]


def text_of(lines: list[str]) -> str:
    """The lines of a box as one text."""
    return lines[0] if len(lines) == 1 else f"[{', '.join(lines)}]"


def spread(
    layers: list[list[int]], sizes: list[float], links: list[tuple[int, int]], air: float, rounds: int = 24
) -> list[float]:
    """The middles across the ranks: each near the boxes it is linked with, without overlaps, in the given order."""
    middle = [0.0] * len(sizes)
    for layer in layers:
        pack(layer, middle, sizes, air, dict.fromkeys(layer, 0.0))
    near: dict[int, list[int]] = {}
    for one, other in links:
        near.setdefault(one, []).append(other)
        near.setdefault(other, []).append(one)
    for turn in range(rounds):
        for layer in layers if turn % 2 else layers[::-1]:
            wanted = {n: float(np.mean([middle[other] for other in near.get(n, [n])])) for n in layer}
            pack(layer, middle, sizes, air, wanted)
    return middle


def pack(layer: list[int], middle: list[float], sizes: list[float], air: float, wanted: dict[int, float]) -> None:
    """Put the boxes of a rank where they are wanted, moved apart where they would meet."""
    groups: list[tuple[list[int], float]] = []  # of boxes that touch, with the place of the first one's middle
    for n in layer:
        groups.append(([n], wanted[n]))
        while len(groups) > 1:
            (left, at), (right, then) = groups[-2:]
            reach = at + sum(gap(sizes, a, b, air) for a, b in zip(left, [*left[1:], right[0]], strict=True))
            if reach <= then:
                break
            joined = left + right
            offsets = np.cumsum([0.0, *(gap(sizes, a, b, air) for a, b in itertools.pairwise(joined))])
            groups[-2:] = [(joined, float(np.mean([wanted[m] - o for m, o in zip(joined, offsets, strict=True)])))]
    for members, at in groups:
        for index, n in enumerate(members):
            at += gap(sizes, members[index - 1], n, air) if index else 0.0
            middle[n] = at


def gap(sizes: list[float], one: int, other: int, air: float) -> float:
    """How far apart the middles of two neighbours are at least."""
    return (sizes[one] + sizes[other]) / 2 + air


def over(line: Line, points: list[tuple[float, float]]) -> list[Any]:
    """The place of the text of a line that lies: near its user and above the line, over it where it rises."""
    (from_, height), (along, across) = points[-2:]
    share = min((15 + svg.width_of(line.label, LABEL)) / (along - from_), 1.0)
    rise = max(across - height, 0.0) * share**2 * (3 - 2 * share)
    return [along - 15, across - 5 - rise, "end"]


def beside(lines: list[Line], paths: list[list[tuple[float, float]]], boxes: list[list[float]]) -> list[list[Any]]:
    """The places of the texts of lines that stand: left or right of each, near its user, clear of all other ink."""
    inks = [sampled(path[-2:]) for path in paths]
    ink = np.concatenate([*inks, *[sampled(path[n : n + 2]) for path in paths for n in range(len(path) - 2)]])
    taken = [(x, y, x + width, y + height) for x, y, width, height in boxes]
    left, right = min(item[0] for item in taken), max(item[2] for item in taken)
    places: list[list[Any]] = []
    for line, own, path in zip(lines, inks, paths, strict=True):
        slots, width = sorted(item.slot for item in lines if item.user == line.user), svg.width_of(line.label, LABEL)
        usual = -1 if len(slots) > 1 and slots.index(line.slot) < len(slots) / 2 else 1
        results = []
        for lift, side in itertools.product(range(12, 54, 3), (-1, 1)):
            y = path[-1][0] - lift
            band = own[(own[:, 1] > y - 11) & (own[:, 1] < y + 3), 0]
            x = (band.min() if side < 0 else band.max()) + 6 * side
            x0, x1 = (x - width, x) if side < 0 else (x, x + width)
            met = ((ink > (x0 - 2, y - 10)) & (ink < (x1 + 2, y + 1))).all(axis=1).sum()
            over = sum(x0 < b + 4 and a - 4 < x1 and y - 11 < d and c < y + 2 for a, c, b, d in taken)
            outside = max(left - x0, 0) + max(x1 - right, 0)
            too_wide = outside and max(right - left + outside - PHONE, 0)
            cost = 100 * over + met + 5 * too_wide + 0.2 * outside + 0.1 * lift + 2 * (side != usual)
            results.append((cost, (x0, y - 9, x1, y), side))
        _, at, side = min(results)
        if width:
            taken.append(at)
            left, right = min(left, at[0]), max(right, at[2])
        places.append([at[0] if side > 0 else at[2], at[3], "start" if side > 0 else "end"])
    return places


def sampled(ends: list[tuple[float, float]]) -> np.ndarray:
    """Points (x, y) of the curve between two points (y, x) of a path that stands, as `curve` draws it."""
    (y0, x0), (y1, x1) = ends
    t = np.linspace(0, 1, 60)
    return np.stack([x0 + (x1 - x0) * (3 * t**2 - 2 * t**3), y0 + (y1 - y0) * (1.5 * t - 1.5 * t**2 + t**3)], axis=1)


def shifted(
    boxes: list[list[float]],
    paths: list[list[Point]],
    ends: list[list[Point]],
    labels: list[list[Any]],
    texts: list[float],
    upright: bool,
) -> Layout:
    """Everything moved to begin at the top left, with a little room around it."""
    points = [(b, a) if upright else (a, b) for path in paths for a, b in path]
    reach = [
        x + (-width if anchor == "end" else width) for (x, _, anchor), width in zip(labels, texts, strict=True) if width
    ]
    left = min([box[0] for box in boxes] + [x for x, _ in points] + reach) - 4
    right = max([box[0] + box[2] for box in boxes] + [x for x, _ in points] + reach) + 4
    top = min([box[1] for box in boxes] + [y for _, y in points]) - 4
    bottom = max([box[1] + box[3] for box in boxes] + [y for _, y in points]) + 4

    def at(point: tuple[float, float]) -> tuple[float, float]:
        x, y = (point[1], point[0]) if upright else point
        return x - left, y - top

    return Layout(
        right - left,
        bottom - top,
        [[x - left, y - top, w, h] for x, y, w, h in boxes],
        [curve([at(point) for point in path], upright) for path in paths],
        [[*at(end[0]), *at(end[1])] for end in ends],
        [[x - left, y - top, anchor] for x, y, anchor in labels],
    )


def curve(points: list[tuple[float, float]], upright: bool) -> str:
    """A smooth path that leaves and arrives at right angles to the boxes."""
    text = f"M{svg.short(points[0][0])},{svg.short(points[0][1])}"
    for number, ((x0, y0), (x1, y1)) in enumerate(itertools.pairwise(points)):
        if number % 2:  # past the boxes of a rank
            text += f"L{svg.short(x1)},{svg.short(y1)}"
            continue
        bend = (y1 - y0) / 2 if upright else (x1 - x0) / 2
        a, b = ((x0, y0 + bend), (x1, y1 - bend)) if upright else ((x0 + bend, y0), (x1 - bend, y1))
        text += "C" + " ".join(f"{svg.short(x)},{svg.short(y)}" for x, y in (a, b, (x1, y1)))
    return text


# --- the still picture ---------------------------------------------------------------------------


def drawn(board: Board, layout: Layout, labels: dict[int, str], words: str, back: bool = True) -> str:
    """A board at the end of a walk; without `back`, at the end of the forward pass.

    `labels` holds the text on each edge, by the edge's number.
    """
    sheet = svg.Sheet(layout.width, layout.height, words)
    draw_lines(sheet, board, layout, labels, back)
    arrived = board.trace.arrived(board.trace.arrows) if back else {}
    for number, box in enumerate(board.boxes):
        got = None if box.kind == "constant" else arrived.get(box.place)
        draw_box(sheet, board, number, board.got(box.place, got) if got else [], layout)
    return str(sheet)


def draw_lines(sheet: svg.Sheet, board: Board, layout: Layout, labels: dict[int, str], back: bool) -> None:
    """The edges with what went back along them, or as they lead forward."""
    upright = layout is board.tall
    for number, (line, path) in enumerate(zip(board.lines, layout.paths, strict=True)):
        x0, y0, x1, y1 = layout.ends[number]
        colour = "flow" if back and line.arrow else "line"
        dashes = {} if line.arrow else {"stroke_dasharray": "3 4"}
        sheet.add("path", d=path, fill="none", stroke=colour, stroke_width=1.5, **dashes)
        if line.arrow:
            x, y, sign = (x0, y0, "") if back else (x1, y1, "-")
            tip = f"l-4.5,{sign}9h9z" if upright else f"l{sign}9,-4.5v9z"
            sheet.add("path", d=f"M{svg.short(x)},{svg.short(y)}{tip}", fill=colour)
        if number in labels:
            x, y, anchor = layout.labels[number]
            sheet.text(x, y, labels[number], LABEL, "flow", text_anchor=anchor, **svg.HALO)


def draw_box(sheet: svg.Sheet, board: Board, number: int, gradient: list[str], layout: Layout) -> None:
    """A box with its value, and lines that say what arrived. One that keeps its gradient has a double frame."""
    box = board.boxes[number]
    x, y, width, height = layout.boxes[number]
    edge = {"leaf": "leaf", "result": "done", "kept": "leaf"}.get(box.kind, "line")
    look: dict[str, Any] = {"stroke_dasharray": "3 4"} if box.kind == "constant" else {}
    thick = 2 if box.kind in ("leaf", "result", "kept") else 1.2
    sheet.rectangle(x, y, width, height, rx=8, fill="panel", stroke=edge, stroke_width=thick, **look)
    if box.kind == "kept":
        sheet.rectangle(x + 4, y + 4, width - 8, height - 8, rx=5, fill="none", stroke=edge, stroke_width=1)
    middle, down = x + width / 2, y + 19
    if head := f"{box.name}  {box.sign}".strip():
        sheet.text(middle, down, head, HEAD, edge if edge != "line" else "soft", font_weight=600, font_family=svg.MONO)
        down += LINE
    for text in box.value:
        sheet.text(middle, down, text, VALUE)
        down += LINE
    if box.shape:
        sheet.text(middle, down - 2, box.shape, 11, "soft")
        down += LINE
    for text in gradient:
        sheet.text(middle, down, text, SMALL, "flow")
        down += LINE
