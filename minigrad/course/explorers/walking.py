"""`walk`: step through a backward pass, node by node."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ipywidgets
import numpy as np

from minigrad.course.explorers.controls import Stepper
from minigrad.course.explorers.explorer import Explorer, Listed, View, button, screen
from minigrad.course.pictures import Picture, canvas, graphs
from minigrad.course.pictures.trace import Arrow, Spot, Trace, traced
from minigrad.tensor import Tensor


def walk(program: Callable[..., Tensor], result: str = "f", upstream: Any = None, **values: Any) -> Walk:
    """Walk backward through the graph of `program`: what arrives at each node, and the shares that it sends.

    The arguments are those of `pictures.graph`.
    """
    return Walk(traced(program, values, result, upstream))


class Walk(Explorer):
    """A stepper over the picture of a graph."""

    def __init__(self, trace: Trace):
        self.trace = trace
        self.nodes = visited(trace)

    def still(self) -> View:
        whole = graphs.draw(self.trace, graphs.Stage(self.trace.arrows, finished=True))
        steps = [happening(self.trace, number) for number in range(1, len(self.nodes) + 1)]
        picture = Picture(whole, graphs.describe(self.trace, backward=True))
        return View(beginning(self.trace), picture, Listed(tuple(steps), numbered=True))

    def widget(self) -> ipywidgets.Widget:
        last = len(self.nodes)
        slider = Stepper(max=last, description="Step", tooltip="How many nodes have been visited")
        back = button("Back", "One step back", icon="arrow-left", disabled=True)
        forth = button("Next", "One step on: visit the next node", icon="arrow-right", disabled=not last)
        shown = screen(step(self.trace, 0))

        def move(change: Any) -> None:
            back.disabled, forth.disabled = slider.value == 0, slider.value == last
            shown.value = step(self.trace, slider.value).html

        def by(distance: int) -> Callable[[Any], None]:
            def press(_: Any) -> None:
                slider.value += distance  # the slider keeps it within its limits

            return press

        slider.observe(move, "value")
        back.on_click(by(-1))
        forth.on_click(by(1))
        return ipywidgets.VBox([ipywidgets.HBox([back, forth, slider]), shown])


def visited(trace: Trace) -> list[Any]:
    """The nodes that send shares, in the order of the walk."""
    senders = {arrow.user for arrow in trace.arrows}
    return [node for node in trace.spots if node in senders]


def step(trace: Trace, number: int) -> View:
    """The walk after so many nodes: its picture, and what has just happened."""
    nodes = visited(trace)
    if not 0 <= number <= len(nodes):
        raise ValueError(f"The walk has {len(nodes)} steps; there is no step {number}.")
    before, now = sent_by(trace, nodes, number)
    stage = graphs.Stage(before, now, at=nodes[number - 1] if number else trace.root)
    sentence = f"Step {number} of {len(nodes)}. {happening(trace, number)}" if number else beginning(trace)
    return View(sentence, Picture(graphs.draw(trace, stage), standing(trace, [*before, *now])))


def sent_by(trace: Trace, nodes: list[Any], number: int) -> tuple[list[Arrow], tuple[Arrow, ...]]:
    """The arrows of all steps before a step, and those of the step itself."""
    before = [arrow for arrow in trace.arrows if arrow.user in nodes[: max(number - 1, 0)]]
    return before, tuple(arrow for arrow in trace.arrows if number and arrow.user is nodes[number - 1])


def beginning(trace: Trace) -> str:
    """What there is before the first node is visited."""
    return (
        f"The walk starts at the end: {trace.result} = {value_of(trace.spots[trace.root], trace.first)} gets the "
        f"upstream gradient {canvas.said(trace.seed)}."
    )


def happening(trace: Trace, number: int) -> str:
    """What a step does: the upstream gradient of the node, its shares, and what becomes of them."""
    before, now = sent_by(trace, visited(trace), number)
    node = now[0].user
    upstream = totals(trace.arrived(before)[node])
    shares = " and ".join(f"{canvas.said(arrow.share)} to {name_of(trace, arrow.target)}" for arrow in now)
    told = [f"{name_of(trace, node)} has the upstream gradient {upstream}. It sends {shares}."]
    sent = [*before, *now]
    arrived = trace.arrived(sent)
    for target in dict.fromkeys(arrow.target for arrow in now):
        name, got = name_of(trace, target), totals(arrived[target])
        every, here = (sum(arrow.target is target for arrow in arrows) for arrows in (trace.arrows, sent))
        if here < every:
            told.append(f"{name} has {got} so far, and waits for its other users.")
        elif trace.spots[target].kind == "leaf":
            told.append(f"{name} keeps {got} in .grad.")
        elif every > 1:
            told.append(f"All users of {name} have sent their shares: together {got}.")
    return " ".join(told)


def totals(upstream: dict[int, np.ndarray]) -> str:
    """What has arrived at a spot: one sum for each of its results."""
    return " and ".join(canvas.said(total) for _, total in sorted(upstream.items()))


def standing(trace: Trace, sent: list[Arrow]) -> str:
    """What stands in the boxes, in words."""
    arrived = trace.arrived(sent)
    told = [f"{name_of(trace, node)}: {totals(arrived[node])}" for node in trace.spots if node in arrived]
    return f"The graph of {trace.result}, half-way back. In the boxes so far: {'; '.join(told)}."


def name_of(trace: Trace, node: Any) -> str:
    """A leaf's name; for a node its sign and, to tell it from others with this sign, its value."""
    spot = trace.spots[node]
    if spot.kind == "leaf":
        return spot.label
    return f"{spot.label} ({value_of(spot, 0)})"


def value_of(spot: Spot, index: int) -> str:
    """A result of a node: its number or numbers if they are few, else its shape."""
    if index < len(spot.values) and np.size(spot.values[index]) <= 6:
        return canvas.numbers(spot.values[index])
    return f"shape {canvas.shape_text(spot.shapes[index])}"
