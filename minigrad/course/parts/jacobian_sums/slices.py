"""The part `slices`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from typing import Any

from minigrad import jacobian
from minigrad.course.parts import Mistakes, Part
from minigrad.course.program import Place

mistake = Mistakes("slices")


@mistake("ones", "v is 1 everywhere, which brings the sum of all slices each time, and none of them alone")
def all_ones(y: Any, x: Any, create_graph: bool = False) -> list:
    return [jacobian.vjp(y, x, jacobian.zeros(y.shape, y) + 1, create_graph) for _ in jacobian.entries(y)]


@mistake("not reset", "v is made once and still has the ones of the entries before: the slices pile up")
def not_reset(y: Any, x: Any, create_graph: bool = False) -> list:
    v, found = jacobian.zeros(y.shape, y), []
    for i in jacobian.entries(y):
        v[i] = 1
        found.append(jacobian.vjp(y, x, v.clone(), create_graph))
    return found


@mistake(
    "one v for all",
    "one v is changed from slice to slice: the graph of those before needs it as it was, so make a fresh one",
)
def one_v_for_all(y: Any, x: Any, create_graph: bool = False) -> list:
    v, found = jacobian.zeros(y.shape, y), []
    for i in jacobian.entries(y):
        v[i] = 1
        found.append(jacobian.vjp(y, x, v, create_graph))
        v[i] = 0
    return found


@mistake(
    "one v, not reset",
    "v is made once and still has the ones of the entries before: the slices pile up, and their graph needs each v as "
    "it was, too",
)
def one_v_not_reset(y: Any, x: Any, create_graph: bool = False) -> list:
    v, found = jacobian.zeros(y.shape, y), []
    for i in jacobian.entries(y):
        v[i] = 1
        found.append(jacobian.vjp(y, x, v, create_graph))
    return found


@mistake("shape of x", "v has the shape of x: an upstream gradient has the shape of y, whose entries it weighs")
def shape_of_x(y: Any, x: Any, create_graph: bool = False) -> list:
    found = []
    for i in jacobian.entries(jacobian.as_tuple(x)[0]):
        v = jacobian.zeros(jacobian.as_tuple(x)[0].shape, y)
        v[i] = 1
        found.append(jacobian.vjp(y, x, v, create_graph))
    return found


@mistake("one per row", "there is one v for each row of y, and not for each entry: a row's slices come as a sum")
def one_per_row(y: Any, x: Any, create_graph: bool = False) -> list:
    found = []
    for i in range(len(y)):
        v = jacobian.zeros(y.shape, y)
        v[i] = 1
        found.append(jacobian.vjp(y, x, v, create_graph))
    return found


@mistake("no graph", "`create_graph` is not handed on, so nothing can be differentiated a second time")
def slices_without_graph(y: Any, x: Any, create_graph: bool = False) -> list:
    found = []
    for i in jacobian.entries(y):
        v = jacobian.zeros(y.shape, y)
        v[i] = 1
        found.append(jacobian.vjp(y, x, v))
    return found


part = Part(
    Place("slices", "engine", "slices", "minigrad.jacobian"),
    points=2,
    minutes=6,
    difficulty=1,
    hints=(
        "Which weights leave of v[0] * J[0] + v[1] * J[1] + … the term J[1] alone?",
        "Let `i` run over `jacobian.entries(y)`. Each time start with fresh zeros, "
        "`jacobian.zeros(y.shape, y)`, and set the entry `i` to 1.",
        "`found.append(jacobian.vjp(y, x, v, create_graph))`",
    ),
    mistakes=tuple(mistake),
)
