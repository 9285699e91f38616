"""The input for judging: one submission at a time, and the settings shared by a grading's submissions."""

from __future__ import annotations

import dataclasses
import hashlib
import math
import secrets
from pathlib import PurePath

from minigrad_course.grading.judge.sandbox import Limits
from minigrad_course.parts import chapters

GRADES = "grades"  # the folder for the grades of a class
VIEWS = {"csv": "grades.csv", "json": "grades.json", "junit": "junit.xml", "html": "class.html"}  # and their files


SEEDS = 1_000_000_000  # that are drawn


def drawn_seed() -> int:
    """A seed that nobody can know in advance."""
    return secrets.randbelow(SEEDS)


def seed_of(seed: int, attempt: int) -> int:
    """The seed of one of several attempts at an exercise: twenty guesses are then not tried on the same numbers.

    The first, 0, has the seed of the grading; the others follow from it.
    """
    if not attempt:
        return seed
    return int.from_bytes(hashlib.sha256(f"{seed} {attempt}".encode()).digest()) % SEEDS


@dataclasses.dataclass(frozen=True)
class Settings:
    """What all submissions of one grading have in common, wherever they are judged."""

    seed: int
    limits: Limits = dataclasses.field(default_factory=Limits)
    submission_seconds: float = 120.0
    require_sandbox: bool = False


@dataclasses.dataclass(frozen=True)
class Task:
    """One submission to judge. `assignment` is the exercise it was handed in for, if the place says so.

    `seconds`: what all its checks together may take, where that is less than `Settings.submission_seconds`.
    `seed`: that of its numbers, None for that of the grading.
    """

    place: str
    student: str
    assignment: str
    content: bytes
    seconds: float = math.inf
    seed: int | None = None

    @property
    def exercise(self) -> str:
        """The exercise it was handed in for, as far as names tell, "" if they do not."""
        return self.assignment or next(iter(exercises_called(self.place)), "")


def exercises_called(place: str) -> list[str]:
    """The exercises whose names are in that of a file."""
    name = PurePath(place).name.casefold()
    return [each.name for each in chapters() if each.name in name]
