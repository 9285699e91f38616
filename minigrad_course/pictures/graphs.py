"""Pictures of a program's graph: values on the way forward, gradients on the way back."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from minigrad.tensor import Tensor
from minigrad_course.pictures import canvas
from minigrad_course.pictures.board import Board, drawn
from minigrad_course.pictures.shown import Picture
from minigrad_course.pictures.trace import Spot, Trace, traced


def graph(
    program: Callable[..., Tensor],
    backward: bool = False,
    result: str = "f",
    upstream: ArrayLike | None = None,
    **values: ArrayLike,
) -> Picture:
    """The graph of `program`, a function of leaves, at the given values: numbers, lists, arrays or Tensors.

    With `backward` the arrows point the other way: each carries the share of the gradient that a node sends to an
    input, and every box shows the sum of what arrived. A leaf, or a tensor that retains its gradient, keeps it as
    `.grad`; elsewhere it is only passing. A result of several numbers needs `upstream`, what it starts with there.
    `result` is the name of the program's result.
    """
    trace = traced(program, values, result, upstream, walk=backward)
    shares = {id(arrow): share_text(arrow.share) for arrow in trace.arrows} if backward else {}
    board = Board(trace, shares, backward)
    labels = {number: line.label for number, line in enumerate(board.lines) if line.label}
    words = describe(trace, backward)
    wide, narrow = (drawn(board, item, labels, words, backward) for item in (board.wide, board.tall))
    return Picture(wide, words, narrow)


def share_text(share: np.ndarray) -> str:
    """What goes along an edge, or its shape if it is large."""
    return canvas.numbers(share) if share.size <= 6 else f"shape {canvas.shape_text(share.shape)}"


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
