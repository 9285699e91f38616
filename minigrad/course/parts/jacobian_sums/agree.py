"""The part `agree`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from typing import Any

from minigrad.course.parts import Mistakes, Part
from minigrad.course.program import Place

mistake = Mistakes("agree")


@mistake("not one answer", "there is an answer for each entry, where one is wanted for all: `.all()`")
def not_one_answer(analytic: Any, numeric: Any, atol: float, rtol: float) -> Any:
    return (analytic - numeric).abs() <= atol + rtol * numeric.abs()


@mistake("any", "one entry that agrees is enough; it has to be all of them")
def any_entry(analytic: Any, numeric: Any, atol: float, rtol: float) -> bool:
    return bool(((analytic - numeric).abs() <= atol + rtol * numeric.abs()).any())


@mistake("signed", "the difference has no absolute value: whatever is too small passes")
def signed(analytic: Any, numeric: Any, atol: float, rtol: float) -> bool:
    return bool((analytic - numeric <= atol + rtol * numeric.abs()).all())


@mistake("signed tolerance", "rtol is multiplied by n and not by |n|: a negative n leaves no room at all")
def signed_tolerance(analytic: Any, numeric: Any, atol: float, rtol: float) -> bool:
    return bool(((analytic - numeric).abs() <= atol + rtol * numeric).all())


@mistake("relative to a", "rtol is multiplied by |a|, the derivative under test, and not by |n|")
def relative_to_analytic(analytic: Any, numeric: Any, atol: float, rtol: float) -> bool:
    return bool(((analytic - numeric).abs() <= atol + rtol * analytic.abs()).all())


@mistake("absolute only", "rtol is left out: large derivatives have large differences")
def absolute_only(analytic: Any, numeric: Any, atol: float, rtol: float) -> bool:
    return bool(((analytic - numeric).abs() <= atol).all())


@mistake("relative only", "atol is left out: beside a derivative of 0 nothing but 0 would do")
def relative_only(analytic: Any, numeric: Any, atol: float, rtol: float) -> bool:
    return bool(((analytic - numeric).abs() <= rtol * numeric.abs()).all())


@mistake("one of the two", "a difference has to keep within one of the tolerances; it may be as large as their sum")
def one_of_the_two(analytic: Any, numeric: Any, atol: float, rtol: float) -> bool:
    difference = (analytic - numeric).abs()
    return bool(((difference <= atol) | (difference <= rtol * numeric.abs())).all())


@mistake("changed places", "atol and rtol have changed places: it is rtol that is multiplied by |n|")
def changed_places(analytic: Any, numeric: Any, atol: float, rtol: float) -> bool:
    return bool(((analytic - numeric).abs() <= rtol + atol * numeric.abs()).all())


@mistake("on average", "the entries are compared on average, so that many right ones hide a wrong one")
def on_average(analytic: Any, numeric: Any, atol: float, rtol: float) -> bool:
    return bool((analytic - numeric).abs().mean() <= atol + rtol * numeric.abs().mean())


part = Part(
    Place("agree", "engine", "agree", "minigrad.jacobian"),
    points=1,
    minutes=5,
    difficulty=1,
    hints=(
        "Comparing two tensors gives a tensor of True and False; `.all()` tells if all are True.",
        "Both sides have an absolute value: `(analytic - numeric).abs()` and `numeric.abs()`.",
    ),
    mistakes=tuple(mistake),
)
