"""The part `numeric_jacobian`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from collections.abc import Callable

from minigrad import jacobian
from minigrad.tensor import Tensor
from minigrad_course.parts import Mistakes, Part
from minigrad_course.programs.program import Place

mistake = Mistakes("numeric_jacobian")


def differences(
    function: Callable[[Tensor], Tensor], x: Tensor, difference: Callable[[Tensor, tuple[int, ...]], Tensor]
) -> Tensor:
    """A Jacobian whose slopes are `difference(memory, j)`."""
    memory, y = x.data, function(x)
    J = jacobian.zeros((*y.shape, *x.shape), y)
    for j in jacobian.entries(x):
        J[(..., *j)] = difference(memory, j)
    return J


@mistake(
    "forward difference",
    "you compare y(x + ε) with y(x): one-sided differences have an error of order ε, central ones of order ε²",
)
def forward_difference(function: Callable[[Tensor], Tensor], x: Tensor, eps: float = 1e-6) -> Tensor:
    def slope(memory: Tensor, j: tuple[int, ...]) -> Tensor:
        middle, below = memory[j].clone(), function(x).detach().clone()
        memory[j] = middle + eps
        above = function(x).detach().clone()
        memory[j] = middle
        return (above - below) / eps

    return differences(function, x, slope)


@mistake(
    "forward difference, no copy",
    "you compare y(x + ε) with y(x), with an error of order ε; and where y is a view of x both change together",
)
def forward_difference_without_copy(function: Callable[[Tensor], Tensor], x: Tensor, eps: float = 1e-6) -> Tensor:
    below = function(x)

    def slope(memory: Tensor, j: tuple[int, ...]) -> Tensor:
        middle = memory[j].clone()
        memory[j] = middle + eps
        result = (function(x) - below) / eps
        memory[j] = middle
        return result

    return differences(function, x, slope)


MOVED_BACK = "you move each entry back by what you moved it: what rounding took away is missing then; put `middle` back"


@mistake("moved back from below", MOVED_BACK)
def moved_back_from_below(function: Callable[[Tensor], Tensor], x: Tensor, eps: float = 1e-6) -> Tensor:
    def slope(memory: Tensor, j: tuple[int, ...]) -> Tensor:
        middle = memory[j].clone()
        memory[j] = middle + eps
        above = function(x).detach().clone()
        memory[j] = middle - eps
        below = function(x).detach().clone()
        memory[j] += eps
        return (above - below) / (2 * eps)

    return differences(function, x, slope)


@mistake("moved back", MOVED_BACK)
def moved_back(function: Callable[[Tensor], Tensor], x: Tensor, eps: float = 1e-6) -> Tensor:
    def slope(memory: Tensor, j: tuple[int, ...]) -> Tensor:
        memory[j] += eps
        above = function(x).detach().clone()
        memory[j] -= 2 * eps
        below = function(x).detach().clone()
        memory[j] += eps
        return (above - below) / (2 * eps)

    return differences(function, x, slope)


@mistake(
    "all at once",
    "you move all entries of x together: each column of J is then the sum of all columns",
)
def all_at_once(function: Callable[[Tensor], Tensor], x: Tensor, eps: float = 1e-6) -> Tensor:
    return differences(function, x, lambda memory, j: (function(x + eps) - function(x - eps)) / (2 * eps))


def stepped(
    function: Callable[[Tensor], Tensor],
    x: Tensor,
    eps: float,
    width: float,
    back: bool = True,
    copy: bool = True,
    cut: bool = True,
    steps: tuple[int, int] = (1, -1),
) -> Tensor:
    """Differences over `width`, with or without restoring the number, copying the results and detaching them."""

    def look() -> Tensor:
        y = function(x)
        y = y.detach() if cut else y
        return y.clone() if copy else y

    def slope(memory: Tensor, j: tuple[int, ...]) -> Tensor:
        middle = memory[j].clone()
        memory[j] = middle + steps[0] * eps
        above = look()
        memory[j] = middle + steps[1] * eps
        below = look()
        if back:
            memory[j] = middle
        return (above - below) / width

    return differences(function, x, slope)


@mistake("half the width", "you divide the difference by ε, but the two points are 2ε apart")
def half_the_width(function: Callable[[Tensor], Tensor], x: Tensor, eps: float = 1e-6) -> Tensor:
    return stepped(function, x, eps, eps)


@mistake("not put back", "you do not put moved entries back")
def not_put_back(function: Callable[[Tensor], Tensor], x: Tensor, eps: float = 1e-6) -> Tensor:
    return stepped(function, x, eps, 2 * eps, back=False)


@mistake(
    "no copy",
    "a result that is a view of x changes with the next step: without `clone()` both show the same numbers",
)
def no_copy(function: Callable[[Tensor], Tensor], x: Tensor, eps: float = 1e-6) -> Tensor:
    return stepped(function, x, eps, 2 * eps, copy=False)


@mistake("in the graph", "`detach()` is missing: differences of tensors with a graph have a graph themselves")
def in_the_graph(function: Callable[[Tensor], Tensor], x: Tensor, eps: float = 1e-6) -> Tensor:
    return stepped(function, x, eps, 2 * eps, cut=False)


@mistake(
    "in the graph, no copy",
    "you keep the result as it is: a view of x changes with the next step, and the result has a graph; "
    "`.detach().clone()` is a copy without one",
)
def in_the_graph_without_copy(function: Callable[[Tensor], Tensor], x: Tensor, eps: float = 1e-6) -> Tensor:
    return stepped(function, x, eps, 2 * eps, copy=False, cut=False)


@mistake(
    "half a difference",
    "your points are x + ε and x, but you divide the difference by 2ε: the second step must go down to x - ε",
)
def half_a_difference(function: Callable[[Tensor], Tensor], x: Tensor, eps: float = 1e-6) -> Tensor:
    return stepped(function, x, eps, 2 * eps, steps=(1, 0))


@mistake(
    "backward difference",
    "you compare y(x) with y(x - ε): one-sided differences have an error of order ε, central ones of order ε²",
)
def backward_difference(function: Callable[[Tensor], Tensor], x: Tensor, eps: float = 1e-6) -> Tensor:
    return stepped(function, x, eps, eps, steps=(0, -1))


@mistake("sign", "the sign is wrong: it is the upper value minus the lower one")
def wrong_sign(function: Callable[[Tensor], Tensor], x: Tensor, eps: float = 1e-6) -> Tensor:
    return stepped(function, x, eps, 2 * eps, steps=(-1, 1))


@mistake("not divided", "you do not divide the difference by the distance between the two points, 2ε")
def not_divided(function: Callable[[Tensor], Tensor], x: Tensor, eps: float = 1e-6) -> Tensor:
    return stepped(function, x, eps, 1.0)


@mistake("no brackets", "`/ 2 * eps` divides by 2 and then multiplies by ε: write `/ (2 * eps)`")
def no_brackets(function: Callable[[Tensor], Tensor], x: Tensor, eps: float = 1e-6) -> Tensor:
    return stepped(function, x, eps, 2 / eps)


@mistake(
    "x itself",
    "you write to `x[j]`: x is a leaf that requires grad, and you may change only its memory, through `memory[j]`",
)
def x_itself(function: Callable[[Tensor], Tensor], x: Tensor, eps: float = 1e-6) -> None:
    for j in jacobian.entries(x):
        x[j] = x[j] + eps


part = Part(
    Place("numeric_jacobian", "engine", "numeric_jacobian", "minigrad.jacobian"),
    points=3,
    minutes=12,
    difficulty=2,
    hints=(
        "Five steps: move entry j up, evaluate, move it down, evaluate, put it back. Then compute the slope.",
        "To evaluate, use `function(x).detach().clone()`: out of the graph, and a copy.",
        "`memory[j] = middle + eps`, later `middle - eps`, finally `middle`. How far apart are the two points?",
    ),
    mistakes=tuple(mistake),
    probe="""
x, m = leaves([2.0, 3.0], [[1.0, 2.0], [3.0, 4.0]])
cases = (
    ("t**3", lambda t: t**3, x),
    ("t * t.sum()", lambda t: t * t.sum(), x),
    ("t.reshape(2, 1)", lambda t: t.reshape(2, 1), x),
    ("(t**2).sum(0)", lambda t: (t**2).sum(0), m),
)
for name, function, where in cases:
    for eps in (1e-6, 0.5):
        told = f"the Jacobian of `{name}` with eps={eps}| "
        found = tell(lambda: torch.jacobian.numeric_jacobian(function, where, eps), told)
        tell(lambda: found.requires_grad, "`requires_grad` of the Jacobian| ")
        tell(lambda: where, "what x holds afterwards| ")
x, m = leaves([2.0, 3.0], [[1.0, 2.0], [3.0, 4.0]])
tell(lambda: torch.jacobian.numeric_jacobian(lambda t: t * 1.0, x), "the Jacobian with the eps that is given| ")
""",
)
