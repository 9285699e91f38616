"""The part `numeric_jacobian`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from typing import Any

from minigrad import jacobian
from minigrad.course.parts import Mistakes, Part
from minigrad.course.program import Place

mistake = Mistakes("numeric_jacobian")


def differences(function: Any, x: Any, difference: Any) -> Any:
    """A Jacobian whose slopes are `difference(memory, j)`."""
    memory, y = x.data, function(x)
    J = jacobian.zeros((*y.shape, *x.shape), y)
    for j in jacobian.entries(x):
        J[(..., *j)] = difference(memory, j)
    return J


@mistake(
    "forward difference",
    "y(x + ε) is compared with y(x): one-sided differences have an error of the size of ε, central ones of ε²",
)
def forward_difference(function: Any, x: Any, eps: float = 1e-6) -> Any:
    def slope(memory: Any, j: Any) -> Any:
        middle, below = memory[j].clone(), function(x).detach().clone()
        memory[j] = middle + eps
        above = function(x).detach().clone()
        memory[j] = middle
        return (above - below) / eps

    return differences(function, x, slope)


@mistake(
    "forward difference, no copy",
    "y(x + ε) is compared with y(x), whose error is of the size of ε; and where y is a view of x both change together",
)
def forward_difference_without_copy(function: Any, x: Any, eps: float = 1e-6) -> Any:
    below = function(x)

    def slope(memory: Any, j: Any) -> Any:
        middle = memory[j].clone()
        memory[j] = middle + eps
        found = (function(x) - below) / eps
        memory[j] = middle
        return found

    return differences(function, x, slope)


@mistake(
    "all at once",
    "all entries of x are moved together: each column of J is then the sum of all columns",
)
def all_at_once(function: Any, x: Any, eps: float = 1e-6) -> Any:
    return differences(function, x, lambda memory, j: (function(x + eps) - function(x - eps)) / (2 * eps))


def stepped(
    function: Any, x: Any, eps: float, width: float, back: bool = True, copy: bool = True, cut: bool = True
) -> Any:
    """Central differences over `width`; with or without the number put back, the results copied and cut off."""

    def look() -> Any:
        y = function(x)
        y = y.detach() if cut else y
        return y.clone() if copy else y

    def slope(memory: Any, j: Any) -> Any:
        middle = memory[j].clone()
        memory[j] = middle + eps
        above = look()
        memory[j] = middle - eps
        below = look()
        if back:
            memory[j] = middle
        return (above - below) / width

    return differences(function, x, slope)


@mistake("half the width", "the difference is divided by ε, but the two points are 2ε apart")
def half_the_width(function: Any, x: Any, eps: float = 1e-6) -> Any:
    return stepped(function, x, eps, eps)


@mistake("not put back", "entries that were moved are not put back where they were")
def not_put_back(function: Any, x: Any, eps: float = 1e-6) -> Any:
    return stepped(function, x, eps, 2 * eps, back=False)


@mistake(
    "no copy",
    "a result that is a view of x changes with the next step: without `clone()` both show the same numbers",
)
def no_copy(function: Any, x: Any, eps: float = 1e-6) -> Any:
    return stepped(function, x, eps, 2 * eps, copy=False)


@mistake("in the graph", "`detach()` is missing: differences of tensors with a graph have one, too")
def in_the_graph(function: Any, x: Any, eps: float = 1e-6) -> Any:
    return stepped(function, x, eps, 2 * eps, cut=False)


@mistake(
    "in the graph, no copy",
    "what `function` gives is kept as it is: a view of x changes with the next step, and a graph hangs on the "
    "difference; `.detach().clone()` is out of the graph, and a copy",
)
def in_the_graph_without_copy(function: Any, x: Any, eps: float = 1e-6) -> Any:
    return stepped(function, x, eps, 2 * eps, copy=False, cut=False)


part = Part(
    Place("numeric_jacobian", "engine", "numeric_jacobian", "minigrad.jacobian"),
    points=3,
    minutes=12,
    difficulty=2,
    hints=(
        "Five steps: move entry j up, look, move it down, look, put it back. Then the slope.",
        "To look is `function(x).detach().clone()`: out of the graph, and a copy.",
        "`memory[j] = middle + eps`, later `middle - eps`, last `middle`. How far apart are the two points?",
    ),
    mistakes=tuple(mistake),
)
