"""`walk`: step through a program forward, then backward; each arrow says upstream × local = share."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from minigrad.graph.nodes import Place as NodeOrLeaf
from minigrad.tensor import Tensor
from minigrad_course.pictures import canvas
from minigrad_course.pictures.board import Board, drawn, lines_of, text_of
from minigrad_course.pictures.shown import Shown
from minigrad_course.pictures.trace import Arrow, Trace, local_derivatives, traced

BETWEEN = ("+", "−", "×", "÷", "@")


def walk(
    program: Callable[..., Tensor], result: str = "f", upstream: ArrayLike | None = None, **values: ArrayLike
) -> Walk:
    """Walk through the graph of `program`, forward and then backward, one operation at a time.

    The arguments are those of `pictures.graph`. A box has the name that the program gives to the result, if it does.
    """
    return Walk(traced(program, values, result, upstream))


@dataclasses.dataclass(frozen=True)
class Product:
    """What goes along an arrow: upstream, local derivative, and share, as text; and how the two are multiplied."""

    upstream: str
    local: str
    share: str
    shapes: tuple[str, str, str]
    times: str  # "×" for numbers, "·" for vᵀJ, "∘" entry by entry, "" where the local derivative is too large to show

    @property
    def label(self) -> str:
        """The text on the arrow."""
        if self.times == "×":
            return f"{self.upstream} × {bracketed(self.local)} = {self.share}"
        return f"{self.share}" if len(self.share) <= 18 else f"shape {self.shapes[2]}"

    def data(self) -> dict[str, object]:
        """As JSON."""
        return {**dataclasses.asdict(self), "shapes": list(self.shapes), "label": self.label}


class Walk(Shown):
    """A walk through a graph, with everything that is said and shown at each step."""

    view = "walk"

    def __init__(self, trace: Trace):
        self.trace = trace
        self.products = {id(arrow): product(trace, arrow) for arrow in trace.arrows}
        self.board = Board(trace, {key: item.label for key, item in self.products.items()})
        self.lines = {id(line.arrow): number for number, line in enumerate(self.board.lines) if line.arrow}
        self.nodes = [place for place in trace.spots if any(arrow.user is place for arrow in trace.arrows)]

    def data(self) -> dict[str, object]:
        return {**self.board.data(), "start": self.start(), "steps": [*self.forward(), *self.backward()]}

    def start(self) -> dict[str, object]:
        """The contents of the boxes before the first step: leaves and constants."""
        known = {
            str(number): box.value for number, box in enumerate(self.board.boxes) if box.kind in ("leaf", "constant")
        }
        return {"values": known, "say": "Forward first: each operation computes its value from what it uses."}

    def forward(self) -> list[dict[str, object]]:
        """A step for each operation, in the order in which the program ran them."""
        steps = []
        for place in sorted(self.nodes, key=lambda item: item.number):
            number = self.board.number[place]
            box = self.board.boxes[number]
            used = [index for index, line in enumerate(self.board.lines) if line.user == number]
            steps.append(
                {
                    "way": "forward",
                    "at": number,
                    "values": {str(number): box.value},
                    "now": used,
                    "say": self.computed(number),
                }
            )
        return steps

    def computed(self, number: int) -> str:
        """An operation with its numbers: g = a × b = 2 × 4 = 8."""
        box = self.board.boxes[number]
        spot = self.trace.spots[box.place]
        inputs = [self.board.boxes[line.target] for line in self.board.lines if line.user == number]
        values = [bracketed(text_of(item.value)) if n else text_of(item.value) for n, item in enumerate(inputs)]
        value = canvas.said(spot.values[0]) if spot.values else f"shape {box.shape}"
        names = [value.name or text_of(value.value) for value in inputs]
        formulas = [applied(box.sign, names), applied(box.sign, values)]
        return " = ".join(dict.fromkeys([*filter(None, [box.name]), *formulas, value])) + "."

    def backward(self) -> list[dict[str, object]]:
        """The first upstream gradient, then a step for each node that sends shares."""
        trace, root = self.trace, self.board.number[self.trace.root]
        seed = canvas.said(trace.seed)
        first = f"Now backward. It begins at the end: {trace.result} gets the upstream gradient {seed}."
        steps: list[dict[str, object]] = [
            {"way": "backward", "at": root, "gradients": {str(root): lines_of(trace.seed)}, "now": [], "say": first}
        ]
        sent: list[Arrow] = []
        for place in self.nodes:
            now = [arrow for arrow in trace.arrows if arrow.user is place]
            sent += now
            arrived = trace.arrived(sent)
            targets = dict.fromkeys(arrow.target for arrow in now)
            waiting = [
                t for t in targets if sum(a.target is t for a in sent) < sum(a.target is t for a in trace.arrows)
            ]
            steps.append(
                {
                    "way": "backward",
                    "at": self.board.number[place],
                    "now": [self.lines[id(arrow)] for arrow in now],
                    "products": [{"to": self.called(arrow.target), **self.products[id(arrow)].data()} for arrow in now],
                    "gradients": {str(self.board.number[t]): lines_of(total(arrived[t])) for t in targets},
                    "waiting": [self.board.number[t] for t in waiting],
                    "say": self.happening(place, now, sent, arrived),
                }
            )
        return steps

    def happening(
        self,
        place: NodeOrLeaf,
        now: list[Arrow],
        sent: list[Arrow],
        arrived: Mapping[NodeOrLeaf, dict[int, np.ndarray]],
    ) -> str:
        """What a step back does, in words."""
        shares = " and ".join(f"{self.products[id(a)].share} to {self.called(a.target)}" for a in now)
        told = [f"At {self.called(place)} the upstream gradient is {said(arrived[place])}: it sends {shares}."]
        for target in dict.fromkeys(arrow.target for arrow in now):
            every = sum(arrow.target is target for arrow in self.trace.arrows)
            here = sum(arrow.target is target for arrow in sent)
            name, got = self.called(target), said(arrived[target])
            if here < every:
                told.append(f"So far {name} has {got}, and waits for its other users.")
            elif self.trace.spots[target].kind == "leaf":
                told.append(f"Leaf {name} keeps {got} in .grad.")
            elif every > 1:
                told.append(f"All users of {name} have sent their shares: together {got}.")
        return " ".join(told)

    def called(self, place: NodeOrLeaf) -> str:
        """The name of a box; without one, its sign and, to distinguish it from others with this sign, its value."""
        box = self.board.boxes[self.board.number[place]]
        return box.name or f"{box.sign} ({text_of(box.value)})"

    def words(self) -> str:
        trace = self.trace
        arrived = trace.arrived(trace.arrows)
        leaves = [
            f"{self.called(place)} = {canvas.said(spot.values[0])} keeps {said(arrived[place])} in .grad"
            for place, spot in trace.spots.items()
            if spot.kind == "leaf" and place in arrived
        ]
        value = canvas.said(trace.spots[trace.root].values[trace.first])
        return f"A walk through the graph of {trace.result} = {value}, forward and backward. Leaf {'; '.join(leaves)}."

    def still(self) -> str:
        labels = {number: self.products[key].label for key, number in self.lines.items()}
        return drawn(self.board, self.board.wide, labels, self.words())


# --- words ---------------------------------------------------------------------------------------


def product(trace: Trace, arrow: Arrow) -> Product:
    """What goes along an arrow: the local derivative is the node's own backward for the upstream gradient 1."""
    upstream = total(trace.arrived([item for item in trace.arrows if item.target is arrow.user])[arrow.user])
    local = local_derivatives(arrow.user, arrow.slot)
    shapes = [canvas.shape_text(np.shape(item)) for item in (upstream, () if local is None else local, arrow.share)]
    times, shown = "·", local
    if local is None:
        times = ""
    elif local.size == 1:
        times = "×"
    elif (diagonal := entrywise(local, np.ndim(upstream))) is not None:
        times, shown = "∘", diagonal
        shapes[1] = canvas.shape_text(diagonal.shape)
    text = "" if shown is None else canvas.said(np.squeeze(shown) if shown.size == 1 else shown, 24)
    return Product(canvas.said(upstream), text, canvas.said(arrow.share), (shapes[0], shapes[1], shapes[2]), times)


def entrywise(local: np.ndarray, outputs: int) -> np.ndarray | None:
    """The diagonal of a diagonal Jacobian: each entry depends only on its own input."""
    result, into = local.shape[:outputs], local.shape[outputs:]
    if result != into or not result:
        return None
    matrix = local.reshape(int(np.prod(result)), -1)
    return np.diag(matrix).reshape(result) if not np.any(matrix - np.diag(np.diag(matrix))) else None


def total(gradients: dict[int, np.ndarray]) -> np.ndarray:
    """What arrived at a box, using the first result for all."""
    return next(iter(gradients.values()))


def said(gradients: dict[int, np.ndarray]) -> str:
    """What arrived at a box, in words."""
    return canvas.said(total(gradients))


def bracketed(text: str) -> str:
    """A negative number in brackets, as written after an operator."""
    return f"({text})" if text.startswith("−") else text


def applied(sign: str, inputs: list[str]) -> str:
    """An operation written out."""
    if len(inputs) == 2 and sign in BETWEEN:
        return f"{inputs[0]} {sign} {inputs[1]}"
    if len(inputs) == 1 and sign.startswith("**"):
        return f"{bracketed(inputs[0])}{sign}"
    return f"−{inputs[0]}" if sign == "−" and len(inputs) == 1 else f"{sign}({', '.join(inputs)})"
