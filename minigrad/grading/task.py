"""The input for judging: one submission at a time, and the settings shared by a grading's submissions."""

from __future__ import annotations

import dataclasses
import math
import secrets
from pathlib import PurePath

from minigrad.course.parts import chapters
from minigrad.grading.sandbox import Limits

GRADES = "grades"  # the folder for the grades of a class
VIEWS = ("csv", "json", "junit", "html")


def drawn_seed() -> int:
    """A seed that nobody can know in advance."""
    return secrets.randbelow(1_000_000_000)


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
    """

    place: str
    student: str
    assignment: str
    content: bytes
    seconds: float = math.inf

    @property
    def exercise(self) -> str:
        """The exercise it was handed in for, as far as names tell, "" if they do not."""
        return self.assignment or next(iter(exercises_called(self.place)), "")


def exercises_called(place: str) -> list[str]:
    """The exercises whose names are in that of a file."""
    name = PurePath(place).name.casefold()
    return [each.name for each in chapters() if each.name in name]
