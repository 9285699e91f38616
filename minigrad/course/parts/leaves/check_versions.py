"""The part `check_versions`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from typing import Any

from minigrad import leaf
from minigrad.compat import checks
from minigrad.course.parts import Mistakes, Part
from minigrad.course.program import Place

mistake = Mistakes("check_versions")


@mistake("never", "no error is raised: the gradient is computed with the changed value, and is wrong")
def never(node: Any) -> None:
    pass


@mistake(
    "any change",
    "any change is an error, even one from before the value was saved; it is the version at that time that counts",
)
def any_change(node: Any) -> None:
    for place, value in enumerate(node.saved):
        if leaf.version(value):
            raise checks.changed_since(node, place)


@mistake("first only", "only the first saved value is looked at")
def first_only(node: Any) -> None:
    if leaf.version(node.saved[0]) != leaf.expected_versions(node)[0]:
        raise checks.changed_since(node, 0)


part = Part(
    Place("check_versions", "engine", "check_versions", "minigrad.leaf"),
    points=3,
    minutes=8,
    difficulty=2,
    hints=(
        "Go through the saved values and what is expected of them side by side; you need the place as well.",
        "`for place, expected in enumerate(leaf.expected_versions(node)):` and then compare with "
        "`leaf.version(node.saved[place])`.",
        "If the two differ: `raise checks.changed_since(node, place)`.",
    ),
    mistakes=tuple(mistake),
)
