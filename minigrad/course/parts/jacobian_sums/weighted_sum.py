"""The part `weighted_sum`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from typing import Any

from minigrad import jacobian
from minigrad.course.parts import Mistakes, Part
from minigrad.course.program import Place

mistake = Mistakes("weighted_sum")


@mistake("unweighted", "the slices are added up as they are: that is what an upstream of ones brings")
def unweighted(J: Any, v: Any) -> Any:
    return sum(J[i] for i in jacobian.entries(v))


@mistake("not added", "each slice gets its weight, but they are not added up: the result keeps J's shape")
def not_added(J: Any, v: Any) -> Any:
    return v.reshape((*v.shape, *[1] * (J.ndim - v.ndim))) * J


@mistake("last slice", "each weighted slice overwrites the one before, and only the last is left")
def last_slice(J: Any, v: Any) -> Any:
    total = 0
    for i in jacobian.entries(v):
        total = v[i] * J[i]
    return total


@mistake(
    "from the right",
    "v does not stand beside the first axes of J: those are y's, and v has y's shape; J v asks for a v of x's shape",
)
def from_the_right(J: Any, v: Any) -> Any:
    return J @ v


@mistake(
    "first axis only",
    "v is run through along its first axis only: a matrix of outputs has an entry for every row and column",
)
def first_axis_only(J: Any, v: Any) -> Any:
    return sum(v[i] * J[i] for i in range(len(v)))


part = Part(
    # the engine's own function of this name is left out when the answer is graded
    Place("weighted_sum", "program", "weighted_sum", "minigrad.jacobian"),
    points=2,
    minutes=6,
    difficulty=1,
    hints=(
        "For a vector v it is v[0] * J[0] + v[1] * J[1] + …; what does `J[i]` give when `i` is a pair?",
        "Let `i` run over `jacobian.entries(v)`. Both `v[i]` and `J[i]` take such an index as it is.",
        "Start with `total = 0` and add `v[i] * J[i]` for each `i`.",
    ),
    mistakes=tuple(mistake),
)
