"""Answers that know nothing: what they print comes from the program that runs them, or from what the engine has."""

from __future__ import annotations

from answer_files import cells, part_of
from answers import Attack


def attacks(file: str) -> dict[str, Attack]:
    """The answers in a file."""
    return {name: Attack(text, part_of(text)) for name, text in cells(file).items()}


LENT = attacks("lent.py")  # where it is lent to everybody
FAMILIES = {
    "hidden passes": attacks("hidden_passes.py"),
    "found": attacks("found.py"),
    "lent": LENT,
    "helpers": attacks("helpers.py"),
    "numeric": attacks("numeric.py"),
    "replaced": attacks("replaced.py"),
}
