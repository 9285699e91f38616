"""Answers that earn points and that no check can tell from honest ones, each with a line that says why.

They are here so that what INSTRUCTORS.md says about them stays true: a test makes sure that they still earn their
points. One that does not any more belongs to the hostile answers.
"""

from __future__ import annotations

from knowing_nothing import FAMILIES
from searched import SEARCHED

# How the name of such an answer in `cells` begins -> why it earns points.
WHY = {
    "beside": "the place lies outside of what is watched: the chapters, and what they lean on",
    "remade": "the text of a rule is in sight, and a copy of it asks whom the answer likes",
    "unseen": "what the program has printed so far lies in the process of the answer",
    "in sight": "the function that the program differentiates is within reach, and its backward is what is asked for",
    "numeric": "a right derivative is right, wherever it comes from",
}
FOUND_BY_SEARCH = "the program that wins is the repaired one, and prints what it prints"


def why(name: str) -> str | None:
    """Why an answer earns points; None if it earns none."""
    return WHY.get(name.partition(": ")[0])


CANNOT_TELL = {
    "searched": {part: (attack, FOUND_BY_SEARCH) for part, attack in SEARCHED.items()},
    "knowing nothing": {
        name: (attack, reason)
        for family in FAMILIES.values()
        for name, attack in family.items()
        if (reason := why(name))
    },
}
