"""What goes into a grading: the work that was handed in, submissions as tasks, and the settings for all of them."""

from __future__ import annotations

import dataclasses
import hashlib
import math
import secrets
from collections.abc import Callable, Mapping
from pathlib import Path, PurePath

from minigrad_course.grading.people.times import UNKNOWN, When
from minigrad_course.parts import chapters
from minigrad_course.texts.submitted import Unreadable

GRADES = "grades"  # the folder for the grades of a class
VIEWS = {"csv": "grades.csv", "json": "grades.json", "junit": "junit.xml", "html": "class.html"}  # and their files
SEEDS = 1_000_000_000  # that are drawn
NOBODY = ""  # the student for work that belongs to nobody


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


PATIENCE = 1.1  # a job that does not stop when its time is over is ended after this many times as long


@dataclasses.dataclass(frozen=True)
class Limits:
    """What one job may use.

    `seconds` by the clock, where the time in which a process waits for a processor does not count; `cpu_seconds` of
    processor time (whole seconds, rounded up); `cell_seconds` of processor time for an answer cell, or three times as
    long by the clock: a statement that hangs ends then, and must not use up the time of the others. A job is asked to
    stop first (after `soft_seconds`), because only the job itself can say where it was, and ended a little later.
    `memory_mb` MiB beyond what Python with numpy takes, `output_bytes` of UTF-8 text.
    Raises ValueError unless all are above 0.
    """

    seconds: float = 5.0
    cpu_seconds: float = 3.0
    cell_seconds: float = 1.0
    memory_mb: float = 512.0
    output_bytes: int = 1_000_000

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not value > 0:
                raise ValueError(f"The limit {name} is {value}; it must be above 0.")

    @property
    def soft_seconds(self) -> float:
        """The processor time after which a job is asked to stop."""
        return min(self.seconds, self.cpu_seconds)

    @property
    def last_seconds(self) -> float:
        """The time by the clock after which it is ended."""
        return PATIENCE * self.seconds

    @property
    def last_cpu_seconds(self) -> float:
        """The processor time after which it is ended."""
        return PATIENCE * self.cpu_seconds


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
    return [chapter.name for chapter in chapters() if chapter.name in name]


# --- what was handed in --------------------------------------------------------------------------


class NotGraded(Unreadable):
    """Something next to a student's work but not part of it; the message says why it was left out."""


@dataclasses.dataclass(frozen=True)
class HandedIn:
    """One notebook that a student handed in, or whatever is in its place.

    `place` is its unique location. `student` is empty if it belongs to nobody. `assignment`
    is the exercise it was handed in for, "" if unknown. `read` returns its content, or raises Unreadable;
    NotGraded for anything that is not the student's work. `root` is the folder or zip it was found in, "" for a file.
    `when` says when it was handed in.
    """

    place: str
    student: str
    assignment: str
    read: Callable[[], bytes]
    root: str = ""
    when: When = UNKNOWN


@dataclasses.dataclass
class Named:
    """A folder or zip that was named, wholly or in part: where it is, which places in it, and the remarks on those."""

    path: Path
    shown: str
    inside: set[str] = dataclasses.field(default_factory=set)
    remarks: list[str] = dataclasses.field(default_factory=list)

    @property
    def whole(self) -> bool:
        return self.shown.rstrip("/") in self.inside

    def covers(self, place: str) -> bool:
        """True if a place is inside what was named."""
        return place in self.inside or any(place[:at] in self.inside for at, item in enumerate(place) if item == "/")


@dataclasses.dataclass(frozen=True)
class Intake:
    """What was handed in. `many`: a folder or a zip was named. `remarks` tell a person about uncertain owners.

    `roots` are the folders and zips that were searched, by displayed name; `ids` gives the owner of each id
    assigned by Canvas and Gradescope.
    """

    found: list[HandedIn]
    many: bool
    remarks: list[str]
    roots: Mapping[str, Named] = dataclasses.field(default_factory=dict)
    ids: Mapping[str, str] = dataclasses.field(default_factory=dict)


def is_in(place: str, folder: str) -> bool:
    """True if a place is a folder, or in it."""
    return place == folder or place.startswith(f"{folder}/")
