"""The part `agree`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from minigrad.tensor import Tensor
from minigrad_course.parts import Mistakes, Part
from minigrad_course.programs.program import Place

mistake = Mistakes("agree")


@mistake("not one answer", "you give one answer per entry instead of one for all: `.all()`")
def not_one_answer(analytic: Tensor, numeric: Tensor, atol: float, rtol: float) -> Tensor:
    return (analytic - numeric).abs() <= atol + rtol * numeric.abs()


@mistake("less than", "two derivatives that are equal disagree if the tolerances are 0: compare with `<=`")
def less_than(analytic: Tensor, numeric: Tensor, atol: float, rtol: float) -> bool:
    return bool(((analytic - numeric).abs() < atol + rtol * numeric.abs()).all())


@mistake("any", "one entry that agrees is enough for you; all of them must")
def any_entry(analytic: Tensor, numeric: Tensor, atol: float, rtol: float) -> bool:
    return bool(((analytic - numeric).abs() <= atol + rtol * numeric.abs()).any())


@mistake("signed", "you do not take the absolute value of the difference: any value that is too small passes")
def signed(analytic: Tensor, numeric: Tensor, atol: float, rtol: float) -> bool:
    return bool((analytic - numeric <= atol + rtol * numeric.abs()).all())


@mistake("signed tolerance", "you multiply rtol by n instead of |n|: a negative n leaves no tolerance at all")
def signed_tolerance(analytic: Tensor, numeric: Tensor, atol: float, rtol: float) -> bool:
    return bool(((analytic - numeric).abs() <= atol + rtol * numeric).all())


@mistake("relative to a", "you multiply rtol by |a|, the derivative under test, instead of |n|")
def relative_to_analytic(analytic: Tensor, numeric: Tensor, atol: float, rtol: float) -> bool:
    return bool(((analytic - numeric).abs() <= atol + rtol * analytic.abs()).all())


@mistake("absolute only", "rtol is left out: large derivatives have large differences")
def absolute_only(analytic: Tensor, numeric: Tensor, atol: float, rtol: float) -> bool:
    return bool(((analytic - numeric).abs() <= atol).all())


@mistake("relative only", "you leave out atol: then a derivative of 0 accepts nothing but exactly 0")
def relative_only(analytic: Tensor, numeric: Tensor, atol: float, rtol: float) -> bool:
    return bool(((analytic - numeric).abs() <= rtol * numeric.abs()).all())


@mistake("one of the two", "you keep the difference within one of the tolerances; it may be as large as their sum")
def one_of_the_two(analytic: Tensor, numeric: Tensor, atol: float, rtol: float) -> bool:
    difference = (analytic - numeric).abs()
    return bool(((difference <= atol) | (difference <= rtol * numeric.abs())).all())


@mistake("changed places", "atol and rtol are swapped: rtol is the one multiplied by |n|")
def changed_places(analytic: Tensor, numeric: Tensor, atol: float, rtol: float) -> bool:
    return bool(((analytic - numeric).abs() <= rtol + atol * numeric.abs()).all())


@mistake("always True", "your answer is True, whatever you are given")
def always_true(analytic: Tensor, numeric: Tensor, atol: float, rtol: float) -> bool:
    return True


@mistake("relative to the largest", "one tolerance is used for all entries, that of the largest n: each has its own")
def relative_to_the_largest(analytic: Tensor, numeric: Tensor, atol: float, rtol: float) -> bool:
    return bool(((analytic - numeric).abs() <= atol + rtol * numeric.abs().max()).all())


@mistake("on average", "you compare averages or sums, so many right entries hide a wrong one")
def on_average(analytic: Tensor, numeric: Tensor, atol: float, rtol: float) -> bool:
    return bool((analytic - numeric).abs().mean() <= atol + rtol * numeric.abs().mean())


@mistake(
    "always False",
    "nothing ever agrees: two floats are hardly ever exactly equal, both tolerances are to be added up, and neither "
    "multiplied nor taken away, and `>` asks for entries that are too far apart",
)
def always_false(analytic: Tensor, numeric: Tensor, atol: float, rtol: float) -> bool:
    return bool((analytic == numeric).all())


@mistake("never", "your answer is False, whatever you are given")
def never(analytic: Tensor, numeric: Tensor, atol: float, rtol: float) -> bool:
    return False


@mistake("upside down", "your answer is the wrong way round: True means that they agree")
def upside_down(analytic: Tensor, numeric: Tensor, atol: float, rtol: float) -> bool:
    return bool(((analytic - numeric).abs() > atol + rtol * numeric.abs()).any())


@mistake("both relative", "both tolerances are multiplied by |n|: atol stands alone, and rtol is multiplied by |n|")
def both_relative(analytic: Tensor, numeric: Tensor, atol: float, rtol: float) -> bool:
    return bool(((analytic - numeric).abs() <= (atol + rtol) * numeric.abs()).all())


@mistake("none relative", "you add rtol as it is: multiply it by |n|")
def none_relative(analytic: Tensor, numeric: Tensor, atol: float, rtol: float) -> bool:
    return bool(((analytic - numeric).abs() <= atol + rtol).all())


part = Part(
    Place("agree", "engine", "agree", "minigrad.jacobian"),
    points=1,
    minutes=5,
    difficulty=1,
    hints=(
        "Comparing two tensors gives a tensor of True and False; `.all()` says whether all are True.",
        "Both sides need an absolute value: `(analytic - numeric).abs()` and `numeric.abs()`.",
    ),
    mistakes=tuple(mistake),
    probe="""
for a, n, atol, rtol in (
    ([1.0, 2.0], [1.0, 2.0], 0.1, 0.1),
    ([1.0, 2.0], [1.0, 9.0], 0.1, 0.1),
    ([9.0, 9.0], [1.0, 2.0], 0.1, 0.1),
    ([1.0, 2.0], [1.0, 2.05], 0.1, 0.0),
    ([1.0, -20.0], [1.0, -21.0], 0.0, 0.1),
    ([1.0, 0.05], [1.0, 0.0], 0.1, 0.0),
    ([1.0, 10.0], [1.0, 11.05], 0.01, 0.1),
    ([1.0, 11.15], [1.0, 10.0], 0.01, 0.11),
    ([1.0, 8.0], [1.0, 9.85], 1.0, 0.1),
    ([1.0, 11.1], [1.0, 10.0], 0.0, 0.1),
    ([1.0, -5.0], [1.0, -9.0], 0.1, 0.1),
    ([1.0, 5.0], [1.0, 9.0], 0.1, 0.1),
    ([1.0] * 9 + [1.5], [1.0] * 10, 0.1, 0.1),
    ([100.0], [150.0], 0.1, 0.9),
    ([100.0], [99.0], 0.9, 0.001),
    ([109.5], [100.0], 0.5, 0.099),
):
    told = f"`agree` for a = {a[-1:]}, n = {n[-1:]}, atol = {atol}, rtol = {rtol}| "
    tell(lambda: torch.jacobian.agree(*leaves(a, n), atol, rtol), told)
""",
)
