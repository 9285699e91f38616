"""The part `hessian`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from typing import Any

import minigrad
from minigrad import jacobian
from minigrad.course.parts import Mistakes, Part
from minigrad.course.program import Place

mistake = Mistakes("hessian")


@mistake("no graph", "the gradient comes without a graph: to backward it is a constant, with derivative 0")
def hessian_without_graph(y: Any, x: Any, create_graph: bool = False) -> Any:
    return jacobian.jacobian(jacobian.vjp(y, x), x, create_graph)


@mistake(
    "handed to the gradient",
    "the gradient has a graph only if `create_graph` is True; it always needs one, since you go on to differentiate it",
)
def handed_to_the_gradient(y: Any, x: Any, create_graph: bool = False) -> Any:
    return jacobian.jacobian(jacobian.vjp(y, x, create_graph=create_graph), x, create_graph)


@mistake("first derivatives", "what comes is the gradient of y: the Hessian is the Jacobian of that gradient")
def first_derivatives(y: Any, x: Any, create_graph: bool = False) -> Any:
    return jacobian.jacobian(y, x, create_graph)


@mistake("summed", "a single backward from the gradient brings the sum of the Hessian's slices")
def summed(y: Any, x: Any, create_graph: bool = False) -> Any:
    gradient = jacobian.vjp(y, x, create_graph=True)
    return jacobian.vjp(gradient, x, minigrad.ones(*gradient.shape), create_graph)


@mistake("squared gradient", "first derivatives are multiplied with each other; H has second derivatives")
def squared_gradient(y: Any, x: Any, create_graph: bool = False) -> Any:
    gradient = jacobian.vjp(y, x, create_graph=create_graph)
    return gradient.reshape((*gradient.shape, *[1] * gradient.ndim)) * gradient


@mistake("graph lost", "`create_graph` is not handed on to the Jacobian")
def hessian_graph_lost(y: Any, x: Any, create_graph: bool = False) -> Any:
    return jacobian.jacobian(jacobian.vjp(y, x, create_graph=True), x)


part = Part(
    Place("hessian", "engine", "hessian", "minigrad.jacobian"),
    points=2,
    minutes=6,
    difficulty=2,
    hints=(
        "First the gradient of y, with a graph, because you go on to differentiate it.",
        "`jacobian.vjp(y, x, create_graph=True)` is the gradient. `jacobian.jacobian` of it by x is the Hessian.",
    ),
    mistakes=tuple(mistake),
)
