"""The part `hessian`: its hints, and the mistakes people make in it."""

from __future__ import annotations

import minigrad
from minigrad import jacobian
from minigrad.tensor import Tensor
from minigrad_course.parts import Mistakes, Part
from minigrad_course.programs.program import Place

mistake = Mistakes("hessian")
Tensors = Tensor | tuple[Tensor, ...]


@mistake(
    "no graph",
    "the Jacobian of the gradient comes out as 0: the gradient has no graph, or it and x have changed places",
)
def hessian_without_graph(y: Tensor, x: Tensor, create_graph: bool = False) -> Tensors:
    return jacobian.jacobian(jacobian.vjp(y, x), x, create_graph)


@mistake(
    "handed to the gradient",
    "the gradient has a graph only if `create_graph` is True; it always needs one, since you go on to differentiate it",
)
def handed_to_the_gradient(y: Tensor, x: Tensor, create_graph: bool = False) -> Tensors:
    return jacobian.jacobian(jacobian.vjp(y, x, create_graph=create_graph), x, create_graph)


@mistake("first derivatives", "you return the gradient of y: the Hessian is the Jacobian of that gradient")
def first_derivatives(y: Tensor, x: Tensor, create_graph: bool = False) -> Tensors:
    return jacobian.jacobian(y, x, create_graph)


@mistake("summed", "a single backward from the gradient gives the sum of the Hessian's slices")
def summed(y: Tensor, x: Tensor, create_graph: bool = False) -> Tensor:
    gradient = jacobian.vjp(y, x, create_graph=True)
    return jacobian.vjp(gradient, x, minigrad.ones(*gradient.shape), create_graph)


@mistake("squared gradient", "you multiply first derivatives with each other; H holds second derivatives")
def squared_gradient(y: Tensor, x: Tensor, create_graph: bool = False) -> Tensor:
    gradient = jacobian.vjp(y, x, create_graph=create_graph)
    return gradient.reshape((*gradient.shape, *[1] * gradient.ndim)) * gradient


@mistake("graph lost", "you do not pass `create_graph` on to the Jacobian")
def hessian_graph_lost(y: Tensor, x: Tensor, create_graph: bool = False) -> Tensors:
    return jacobian.jacobian(jacobian.vjp(y, x, create_graph=True), x)


@mistake("always a graph", "the Hessian has a graph even if `create_graph` is False: hand on what you were given")
def always_a_graph(y: Tensor, x: Tensor, create_graph: bool = False) -> Tensors:
    return jacobian.jacobian(jacobian.vjp(y, x, create_graph=True), x, create_graph=True)


@mistake(
    "one backward from the gradient",
    "you run one backward from the whole gradient, which has no default: a Hessian has a slice for each of its "
    "entries, and `jacobian.jacobian` puts them together",
)
def one_backward(y: Tensor, x: Tensor, create_graph: bool = False) -> Tensor:
    return jacobian.vjp(jacobian.vjp(y, x, create_graph=True), x, create_graph=create_graph)


@mistake(
    "squared entries", "you square the entries of the gradient: H holds second derivatives, in a slice for each entry"
)
def squared_entries(y: Tensor, x: Tensor, create_graph: bool = False) -> Tensor:
    return jacobian.vjp(y, x, create_graph=create_graph) ** 2


@mistake(
    "create_graph as v",
    "`create_graph` stands where `jacobian.vjp` wants v: name it, `create_graph=True`",
)
def create_graph_as_v(y: Tensor, x: Tensor, create_graph: bool = False) -> Tensor:
    return jacobian.vjp(y, x, True)


part = Part(
    Place("hessian", "engine", "hessian", "minigrad.jacobian"),
    points=2,
    minutes=6,
    difficulty=2,
    hints=(
        "First compute the gradient of y, with a graph, because you will differentiate it.",
        "`jacobian.vjp(y, x, create_graph=True)` is the gradient. Its `jacobian.jacobian` with respect to x is the "
        "Hessian.",
    ),
    mistakes=tuple(mistake),
    probe="""
x, m = leaves([2.0, 3.0], [[1.0, 2.0], [3.0, 4.0]])
for name, y, where in (
    ("x[0] ** 2 * x[1]", x[0] ** 2 * x[1], x),
    ("(x**3).sum()", (x**3).sum(), x),
    ("x.sum() ** 2", x.sum() ** 2, x),
    ("(m**3).sum()", (m**3).sum(), m),
):
    for create_graph in (False, True):
        found = tell(lambda: torch.jacobian.hessian(y, where, create_graph), f"the Hessian of `{name}`| ")
        tell(lambda: found.requires_grad, f"`requires_grad` with create_graph={create_graph}| ")
""",
)
