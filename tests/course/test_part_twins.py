"""What does the same as a part, found in the engine's text."""

import pytest

from minigrad_course.checks.twins import twins
from minigrad_course.parts import chapters

HELPERS = "minigrad.graph.array_ops"
DIFFERENCES = "minigrad.jacobian:numeric_jacobian"
FOUND = {
    "pow": [f"{HELPERS}:power_slope"],
    "hypot": [f"minigrad.ops.ternary:{name}" for name in ("Hypot.forward", "Hypot.backward", "hypot")],
    "sum": [f"{HELPERS}:expand", f"{HELPERS}:spread"],
    "mean": [f"{HELPERS}:expand", f"{HELPERS}:spread"],
    "logsumexp": [f"minigrad.ops.softmax:{name}" for name in ("Logsumexp.forward", "Logsumexp.backward", "logsumexp")],
    "no_grad": [
        "minigrad.autograd.grad_mode:inference_mode.__exit__",
        "minigrad.recording.modes:enable_grad.__exit__",
        "minigrad.recording.modes:set_grad_enabled.__exit__",
    ],
}
CHECKS = [(chapter, check) for chapter in chapters() for check in chapter.checks]


@pytest.mark.parametrize(("chapter", "check"), CHECKS, ids=[check for _, check in CHECKS])
def test_the_twins_of_a_check(chapter, check):
    found = [each for each in twins(chapter.name, check) if each != DIFFERENCES]
    assert found == FOUND.get(check, [])


def test_differences_are_there_where_they_are_the_subject():
    there = {check for chapter, check in CHECKS if DIFFERENCES not in twins(chapter.name, check)}
    (third,) = [chapter for chapter in chapters() if chapter.number == 3]
    assert there == {*third.checks} - {"mv"}
