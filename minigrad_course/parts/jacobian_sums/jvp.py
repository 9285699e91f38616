"""The part `jvp`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from minigrad import jacobian
from minigrad.tensor import Tensor
from minigrad_course.parts import Mistakes, Part
from minigrad_course.programs.program import Place

mistake = Mistakes("jvp")


@mistake(
    "vᵀJ",
    "you start at y with weights of x's shape, v itself or a u made like x: that is vᵀJ, which needs y's shape",
)
def one_pass(y: Tensor, x: Tensor, v: Tensor | None = None, create_graph: bool = False) -> Tensor:
    return jacobian.vjp(y, x, v, create_graph)


@mistake("no graph", "the first pass makes no graph, so there is nothing to differentiate with respect to u")
def jvp_without_graph(y: Tensor, x: Tensor, v: Tensor | None = None, create_graph: bool = False) -> Tensor:
    u = jacobian.placeholder(y)
    return jacobian.vjp(jacobian.vjp(y, x, u), u, v, create_graph)


@mistake("by x", "the second pass goes to x instead of u: that is a second derivative of y")
def by_x(y: Tensor, x: Tensor, v: Tensor | None = None, create_graph: bool = False) -> Tensor:
    u = jacobian.placeholder(y)
    return jacobian.vjp(jacobian.vjp(y, x, u, create_graph=True), x, v, create_graph)


@mistake("graph lost", "you do not pass `create_graph` on to the second pass")
def jvp_graph_lost(y: Tensor, x: Tensor, v: Tensor | None = None, create_graph: bool = False) -> Tensor:
    u = jacobian.placeholder(y)
    return jacobian.vjp(jacobian.vjp(y, x, u, create_graph=True), u, v)


@mistake("always a graph", "the second pass makes a graph even if `create_graph` is False: hand on what you were given")
def jvp_always_a_graph(y: Tensor, x: Tensor, v: Tensor | None = None, create_graph: bool = False) -> Tensor:
    u = jacobian.placeholder(y)
    return jacobian.vjp(jacobian.vjp(y, x, u, create_graph=True), u, v, create_graph=True)


@mistake("u not asked", "u does not require grad, so no path leads back to it: use `jacobian.placeholder(y)`")
def u_not_asked(y: Tensor, x: Tensor, v: Tensor | None = None, create_graph: bool = False) -> Tensor:
    u = jacobian.zeros(y.shape, y)
    return jacobian.vjp(jacobian.vjp(y, x, u, create_graph=True), u, v, create_graph)


@mistake("first pass alone", "you return uᵀJ, of x's shape: a second pass, from there to u, gives J v")
def first_pass_alone(y: Tensor, x: Tensor, v: Tensor | None = None, create_graph: bool = False) -> Tensor:
    return jacobian.vjp(y, x, jacobian.placeholder(y), create_graph=True)


@mistake("no direction", "the second pass has no weights: they are v, the direction")
def no_direction(y: Tensor, x: Tensor, v: Tensor | None = None, create_graph: bool = False) -> Tensor:
    u = jacobian.placeholder(y)
    return jacobian.vjp(jacobian.vjp(y, x, u, create_graph=True), u, None, create_graph)


@mistake("u as direction", "the weights of the second pass are u instead of v: the direction has the shape of x")
def u_as_direction(y: Tensor, x: Tensor, v: Tensor | None = None, create_graph: bool = False) -> Tensor:
    u = jacobian.placeholder(y)
    return jacobian.vjp(jacobian.vjp(y, x, u, create_graph=True), u, u, create_graph)


WHOLE = "you build the whole Jacobian, with a pass for each entry of y: two passes are enough, whatever the size of y"


@mistake("whole Jacobian, as a matrix", WHOLE)
def whole_as_a_matrix(y: Tensor, x: Tensor, v: Tensor | None = None, create_graph: bool = False) -> Tensor:
    return jacobian.jacobian(y, x, create_graph) @ v


@mistake("whole Jacobian", WHOLE)
def whole_jacobian(y: Tensor, x: Tensor, v: Tensor | None = None, create_graph: bool = False) -> Tensor:
    return (jacobian.jacobian(y, x, create_graph) * v).reshape(*y.shape, v.numel()).sum(-1)


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
    probe="""
A = torch.tensor([[1.0, 2.0], [3.0, 5.0], [7.0, 11.0]], dtype=torch.float64)
B = torch.tensor([[1.0, 2.0], [3.0, 5.0]], dtype=torch.float64)
x, w = leaves([2.0, 3.0], [1.0, 10.0])
for name, y in (
    ("A @ x", A @ x),
    ("A @ x * x[0]", A @ x * x[0]),
    ("B @ x", B @ x),
    ("B @ x * x[0]", B @ x * x[0]),
    ("x.sum() * x[0]", x.sum() * x[0]),
):
    for create_graph in (False, True):
        found = tell(lambda: torch.jacobian.jvp(y, x, w.detach(), create_graph), f"the product for `y = {name}`| ")
        tell(lambda: found.requires_grad, f"`requires_grad` with create_graph={create_graph}| ")
""",
)
