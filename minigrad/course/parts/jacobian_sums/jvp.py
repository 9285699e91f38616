"""The part `jvp`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from typing import Any

from minigrad import jacobian
from minigrad.course.parts import Mistakes, Part
from minigrad.course.program import Place

mistake = Mistakes("jvp")


@mistake(
    "vᵀJ",
    "weights of x's shape go back from y, v as it is or a u made like x: that is vᵀJ, and asks for y's shape",
)
def one_pass(y: Any, x: Any, v: Any = None, create_graph: bool = False) -> Any:
    return jacobian.vjp(y, x, v, create_graph)


@mistake("no graph", "the first pass makes no graph, so that nothing is left to differentiate by u")
def jvp_without_graph(y: Any, x: Any, v: Any = None, create_graph: bool = False) -> Any:
    u = jacobian.placeholder(y)
    return jacobian.vjp(jacobian.vjp(y, x, u), u, v, create_graph)


@mistake("by x", "the second pass goes to x and not to u: that is a second derivative of y")
def by_x(y: Any, x: Any, v: Any = None, create_graph: bool = False) -> Any:
    u = jacobian.placeholder(y)
    return jacobian.vjp(jacobian.vjp(y, x, u, create_graph=True), x, v, create_graph)


@mistake("graph lost", "`create_graph` is not handed on to the second pass")
def jvp_graph_lost(y: Any, x: Any, v: Any = None, create_graph: bool = False) -> Any:
    u = jacobian.placeholder(y)
    return jacobian.vjp(jacobian.vjp(y, x, u, create_graph=True), u, v)


@mistake("u not asked", "u does not require grad, so no way leads back to it: `jacobian.placeholder(y)` does")
def u_not_asked(y: Any, x: Any, v: Any = None, create_graph: bool = False) -> Any:
    u = jacobian.zeros(y.shape, y)
    return jacobian.vjp(jacobian.vjp(y, x, u, create_graph=True), u, v, create_graph)


part = Part(
    Place("jvp", "engine", "jvp", "minigrad.jacobian"),
    points=3,
    minutes=10,
    difficulty=3,
    hints=(
        "Two calls of `jacobian.vjp`. The first goes from y to x with the weights u. What does the second go to?",
        "The second goes from the result of the first to u, and its weights are v.",
        "`gradient = jacobian.vjp(y, x, u, create_graph=True)`; the second call takes the `create_graph` you "
        "were given.",
    ),
    mistakes=tuple(mistake),
)
