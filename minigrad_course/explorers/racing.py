"""`race`: one graph walked in two orders side by side, and what the wrong order loses."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from minigrad import leaf, scalar
from minigrad.graph.nodes import Place as NodeOrLeaf
from minigrad.tensor import Tensor, Value
from minigrad_course.pictures import canvas, svg
from minigrad_course.pictures.board import Board, draw_box, lines_of
from minigrad_course.pictures.shown import Shown
from minigrad_course.pictures.trace import Trace, traced

Order = Callable[[NodeOrLeaf], list[NodeOrLeaf]]
Arrived = dict[NodeOrLeaf, Value]
NOTES = {
    "Depth first": "visits a node the moment it gets there",
    "Newest first": "visits a node after all of its users",
}


def race(programs: Mapping[str, Callable[..., Tensor]], result: str = "f", **values: ArrayLike) -> Race:
    """Walk back through the graph of each program depth first and newest first. `programs`: spelling -> program."""
    return Race({name: traced(program, values, result) for name, program in programs.items()})


def depth_first(root: NodeOrLeaf) -> list[NodeOrLeaf]:
    """A plain depth-first search: it lists a node the moment it gets there, even if a user of it still waits."""
    listed, waiting = {}, [root]
    while waiting:
        node = waiting.pop()
        if node not in listed:
            listed[node] = True
            waiting += [edge for edge in reversed(node.edges) if edge is not None] if hasattr(node, "edges") else []
    return list(listed)


@dataclasses.dataclass
class Lane:
    """One walk in one order: its steps, and what the leaves have at the end."""

    name: str
    steps: list[dict[str, Any]]
    grads: dict[str, np.ndarray]
    right: bool = True

    @property
    def ends(self) -> str:
        """The values in the leaves at the end."""
        return ", ".join(f"{name}.grad = {canvas.said(value)}" for name, value in self.grads.items())

    def data(self) -> dict[str, object]:
        """As JSON."""
        return {
            "name": self.name,
            "note": NOTES[self.name],
            "steps": self.steps,
            "ends": self.ends,
            "right": self.right,
        }


class Race(Shown):
    """Two orders, for each spelling of a program."""

    view = "race"

    def __init__(self, traces: dict[str, Trace]):
        self.boards = {name: Board(trace, shares(trace)) for name, trace in traces.items()}
        self.lanes = {name: self.run(board) for name, board in self.boards.items()}

    def run(self, board: Board) -> list[Lane]:
        """Both walks; the engine's walk decides what is right."""
        lost = walked(board, "Depth first", depth_first)
        kept = walked(board, "Newest first", scalar.topological_order)
        lost.right = all(np.array_equal(lost.grads.get(name, ()), value) for name, value in kept.grads.items())
        return [lost, kept]

    def data(self) -> dict[str, object]:
        spellings = []
        for name, board in self.boards.items():
            known = {str(n): box.value for n, box in enumerate(board.boxes)}
            say = (
                f"Both walks start at {board.trace.result} with the upstream gradient {canvas.said(board.trace.seed)}."
            )
            start = {"values": known, "gradients": {"0": lines_of(board.trace.seed)}, "say": say}
            lanes = [lane.data() for lane in self.lanes[name]]
            spellings.append({"name": name, **board.data(), "start": start, "lanes": lanes})
        return {"spellings": spellings}

    def words(self) -> str:
        told = [
            f"{name}: {', '.join(f'{lane.name.lower()} {lane.ends}' for lane in lanes)}"
            for name, lanes in self.lanes.items()
        ]
        return f"The same graph walked in two orders. {'; '.join(told)}."

    def still(self) -> str:
        (name, board), *_ = self.boards.items()
        tall, gap = board.tall, 40
        sheet = svg.Sheet(2 * tall.width + gap, tall.height + 70, self.words())
        for number, lane in enumerate(self.lanes[name]):
            left = number * (tall.width + gap)
            sheet.text(left, 16, lane.name, 15, text_anchor="start", font_weight=600)
            sheet.text(left, 34, lane.ends, 14, "done" if lane.right else "flow", text_anchor="start")
            with sheet.moved(left, 50):
                draw(sheet, board, lane)
        return str(sheet)


def shares(trace: Trace) -> dict[int, str]:
    """The share of each arrow, as text."""
    return {id(arrow): canvas.said(arrow.share) for arrow in trace.arrows}


def walked(board: Board, name: str, order: Order) -> Lane:
    """A walk in some order, as the engine goes: what arrives at a node after its turn is lost."""
    trace = board.trace
    lines = {(line.arrow.user, line.slot): n for n, line in enumerate(board.lines) if line.arrow}
    arrived: Arrived = {trace.root: trace.seed}
    done: set[NodeOrLeaf] = set()
    lane = Lane(name, [], {})
    with leaf.no_grad():
        for place in order(trace.root):
            done.add(place)
            got = arrived.get(place)
            if got is None:
                continue
            step: dict[str, Any] = {"way": "backward", "at": board.number[place], "now": [], "products": []}
            if isinstance(place, Tensor):
                lane.grads[called(board, place)] = np.asarray(got)
                step["say"] = f"Leaf {called(board, place)} keeps {canvas.said(got)} in .grad."
            else:
                send(board, place, arrived, done, lines, step)
            lane.steps.append(step)
    return lane


def send(
    board: Board,
    place: Any,  # a node with one result
    arrived: Arrived,
    done: set[NodeOrLeaf],
    lines: Mapping[tuple[NodeOrLeaf, int], int],
    step: dict[str, Any],
) -> None:
    """Send the shares of a node; those that come too late are lost."""
    told, lost, late = [], [], []
    step["gradients"] = {}
    for slot, (target, share) in enumerate(zip(place.edges, place.vjp(arrived[place], True), strict=True)):
        if target is None or share is None:
            continue
        text, name, line = canvas.said(share), called(board, target), lines[place, slot]
        step["now"].append(line)
        if target in done:
            step["products"].append({"label": f"{text} lost", "share": f"{text} lost"})
            lost.append(line)
            late.append(f"These {text} are lost: {name} has been visited already.")
        else:
            step["products"].append({"label": text, "share": text})
            arrived[target] = arrived[target] + share if target in arrived else share
            step["gradients"][str(board.number[target])] = lines_of(arrived[target])
        told.append(f"{text} to {name}")
    first = f"Now {called(board, place)}: it has {canvas.said(arrived[place])} and sends {' and '.join(told)}."
    step["lost"] = lost
    step["say"] = " ".join([first, *late])


def called(board: Board, place: NodeOrLeaf) -> str:
    """The name of a box, or its sign."""
    box = board.boxes[board.number[place]]
    return box.name or box.sign


def draw(sheet: svg.Sheet, board: Board, lane: Lane) -> None:
    """The end of a walk: what went along each edge, and the contents of the boxes."""
    layout = board.tall
    sent = {
        line: item["share"] for step in lane.steps for line, item in zip(step["now"], step["products"], strict=True)
    }
    lost = {line for step in lane.steps for line in step.get("lost", [])}
    got = {"0": lines_of(board.trace.seed)}
    for step in lane.steps:
        got |= step.get("gradients", {})
    for number, line in enumerate(board.lines):
        colour = "flow" if line.arrow else "line"
        dashes = {"stroke_dasharray": "5 4"} if number in lost or not line.arrow else {}
        sheet.add("path", d=layout.paths[number], fill="none", stroke=colour, stroke_width=1.5, **dashes)
        if number in sent:
            x, y, anchor = layout.labels[number]
            sheet.text(x, y, sent[number], 12.5, "flow", text_anchor=anchor, **svg.HALO)
    for number, box in enumerate(board.boxes):
        lines = got.get(str(number))
        draw_box(sheet, board, number, [board.kept(box.place, lines)] if lines else [], layout)
