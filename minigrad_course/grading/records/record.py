"""What a grading hands from room to room: work that was handed in, tasks, the rules of a course, and the records.

Plain data, for other processes and the store. In a record everything that a stranger wrote is bounded, and is text that
can be written as UTF-8.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import math
import secrets
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path, PurePath
from typing import Any

from minigrad_course.grading.people.names import UNKNOWN, When
from minigrad_course.parts import chapter_named, chapters
from minigrad_course.texts.submitted import Unreadable

GRADES = "grades"  # the folder for the grades of a class
VIEWS = {"csv": "grades.csv", "json": "grades.json", "junit": "junit.xml", "html": "class.html"}  # and their files
SEEDS = 1_000_000_000  # that are drawn
PATIENCE = 1.1  # a job that does not stop when its time is over is ended after this many times as long
NOBODY = ""  # the student for work that belongs to nobody
LONGEST_TEXT = 20_000  # characters of what a check printed, and of an answer
PRINTS = "prints"  # in the place of a known mistake: the answer prints, and does nothing else wrong
FEW_ATTEMPTS = 5  # at an exercise; of more somebody should know, if the best of them counts
TO_DO = {"wrong": "mend", "open": "finish"}
BEST, LAST = "best", "last"  # of several attempts at an exercise, the one that counts
DISTRIBUTIONS = ("minigrad-course", "torch", "numpy", "nbval")


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
    that a system assigns for good.
    """

    found: list[HandedIn]
    many: bool
    remarks: list[str]
    roots: Mapping[str, Named] = dataclasses.field(default_factory=dict)
    ids: Mapping[str, str] = dataclasses.field(default_factory=dict)


def is_in(place: str, folder: str) -> bool:
    """True if a place is a folder, or in it."""
    return place == folder or place.startswith(f"{folder}/")


# --- what counts ----------------------------------------------------------------------------------


class BadCourse(Exception):
    """The rules cannot be used; the message says where, what and what to do."""


@dataclasses.dataclass(frozen=True)
class Assigned:
    """An exercise that counts: `weight` times its points, without some parts, until a deadline."""

    weight: float = 1.0
    deadline: datetime | None = None
    without: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class Extension:
    """More time for a student, for one exercise, or for all if `exercise` is empty."""

    student: str
    exercise: str
    until: datetime


@dataclasses.dataclass(frozen=True)
class Mark:
    """What a person gives a student for a part, or says about it. Without a part it is about the exercise."""

    student: str
    exercise: str
    part: str = ""
    points: float | None = None
    comment: str = ""


@dataclasses.dataclass(frozen=True)
class Course:
    """The rules of a course. Without `exercises` everything that was handed in counts.

    `per_day` percent of the points go for each day begun after the deadline, `at_most` in all, none within `grace`
    minutes. `zone` is that of times without one, "" for this machine's.
    """

    exercises: dict[str, Assigned] = dataclasses.field(default_factory=dict)
    attempts: str = BEST
    per_day: float = 0.0
    at_most: float = 100.0
    grace: float = 0.0
    extensions: tuple[Extension, ...] = ()
    marks: tuple[Mark, ...] = ()
    zone: str = ""

    @classmethod
    def of(cls, data: dict[str, Any]) -> Course:
        """The course that `data` gave."""

        def time(text: str | None) -> datetime | None:
            return datetime.fromisoformat(text) if text else None

        exercises = {
            name: Assigned(item["weight"], time(item["deadline"]), tuple(item["without"]))
            for name, item in data["exercises"].items()
        }
        extensions = tuple(
            Extension(item["student"], item["exercise"], datetime.fromisoformat(item["until"]))
            for item in data["extensions"]
        )
        marks = tuple(Mark(**item) for item in data["marks"])
        return cls(**{**data, "exercises": exercises, "extensions": extensions, "marks": marks})

    def data(self) -> dict[str, Any]:
        """The course as plain data."""
        made = dataclasses.asdict(self)
        for item in made["exercises"].values():
            item["deadline"] = item["deadline"] and item["deadline"].isoformat()
        for item in made["extensions"]:
            item["until"] = item["until"].isoformat()
        return made

    def only(self, names: Iterable[str]) -> Course:
        """The same course with these exercises assigned, and no others; with none of them, everything counts."""
        known = {name: self.exercises.get(name, Assigned()) for name in names}
        return dataclasses.replace(self, exercises=known)

    def counts(self, exercise: str) -> bool:
        """True if an exercise counts."""
        return not self.exercises or exercise in self.exercises

    def possible(self, exercise: str) -> float:
        """The points of an exercise that count in the total: with its weight, without the parts left out."""
        chapter, assigned = chapter_named(exercise), self.exercises.get(exercise, Assigned())
        checks = [check for check in chapter.checks if check not in assigned.without] if chapter else []
        return assigned.weight * sum(map(chapter.points, checks)) if chapter else 0.0

    def people(self) -> list[str]:
        """Every student whom the rules name."""
        return list(
            dict.fromkeys([extension.student for extension in self.extensions] + [mark.student for mark in self.marks])
        )

    @property
    def sentence(self) -> str:
        """What counts, for the terminal."""
        each = ", ".join(f"{name} ({number(self.possible(name))} points)" for name in in_order(self.exercises))
        return f"What counts: {each}." if each else "Every exercise that is handed in counts."


def in_order(exercises: Iterable[str]) -> list[str]:
    """Exercises as the course has them."""
    wanted = set(exercises)
    return [chapter.name for chapter in chapters() if chapter.name in wanted]


# --- what it came to ------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class PartRecord:
    """The result of one check. `word` is "passed", "wrong" or "open"; `mistake` is the name of a known one, `error` how
    a wrong answer stopped, "" if it did not.

    `judged` are the points of the check where a person has given others, None where nobody has; `comment` is that
    person's.
    """

    part: str
    word: str
    points: float
    possible: int
    what: str = ""
    mistake: str | None = None
    error: str = ""
    text: str = ""
    reference: str = ""
    seconds: float = 0.0
    judged: float | None = None
    comment: str = ""

    @property
    def passed(self) -> bool:
        return self.word == "passed"

    @property
    def by_hand(self) -> str:
        """What a person has said about it, in a sentence; "" for nothing."""
        said = f"{self.comment}" if self.comment else ""
        if self.judged is None:
            return said
        given = f"{number(self.points)} of {self.possible} by hand instead of {number(self.judged)}"
        return f"{given}: {said}" if said else f"{given}."


@dataclasses.dataclass(frozen=True)
class Record:
    """The result of one submission.

    `error` is why the file could not be graded, `notices` are what a person should know, `answers` its code by part.
    `skipped` says why this is not the student's work; no grade depends on it.
    `fault` is an error of the grading itself: such a record is shown, and never kept. `unconfined` says what was not
    confined where it was judged. `seed` is the one its numbers were drawn with, None where no check ran; `day` is when
    it was judged, as the store has it.

    What the rules of the course make of it is never kept: whether it `counts`, `when` it was handed in, the points
    `deducted` because it was late, the `weight` of its exercise, how many `attempts` it is the best of, and what they
    say about it, in sentences. A record without a place stands for what was not handed in.
    """

    place: str
    student: str
    exercise: str | None = None
    error: str | None = None
    fault: str | None = None
    skipped: str | None = None
    notices: tuple[str, ...] = ()
    parts: tuple[PartRecord, ...] = ()
    answers: dict[str, str] = dataclasses.field(default_factory=dict)
    seconds: float = 0.0
    unconfined: tuple[str, ...] = ()
    seed: int | None = None
    day: str = dataclasses.field(default="", compare=False)
    counts: bool = True
    deducted: float = 0.0
    weight: float = 1.0
    attempts: int = 1
    said: tuple[str, ...] = ()
    when: When = UNKNOWN

    @property
    def passed(self) -> bool:
        """True only if everything ran, everything agreed, and nobody tampered with the file."""
        spoilt = self.error or self.fault or self.skipped or self.notices
        return not spoilt and bool(self.parts) and all(part.passed for part in self.parts)

    @property
    def obstacle(self) -> str | None:
        """Why there is nothing judged, if there is not."""
        return self.error or self.fault or self.skipped

    @property
    def points(self) -> float:
        return max(round(sum(part.points for part in self.parts) - self.deducted, 2), 0)

    @property
    def many(self) -> str:
        """What a person should know where the best of many attempts counts, in a sentence; "" for few."""
        if self.attempts <= FEW_ATTEMPTS:
            return ""
        return f"The best of {self.attempts} attempts counts, each with numbers of its own: are they guesses?"

    @property
    def missing(self) -> bool:
        """True for what stands for something that was not handed in."""
        return not self.place

    @property
    def is_of_none(self) -> bool:
        """True for a file that could not be graded, where nobody knows which exercise it was to be."""
        return bool(self.error or self.fault) and not self.parts

    @property
    def is_judged(self) -> bool:
        """True if checks have run; not for what is missing, nor for a file that could not be graded."""
        return bool(self.place and self.parts) and not self.obstacle

    @property
    def possible(self) -> int:
        return sum(part.possible for part in self.parts)

    @property
    def last(self) -> str:
        """The name of the check that runs all parts together; "" where there is none."""
        chapter = chapter_named(self.exercise or "")
        return chapter.together if chapter else ""

    @property
    def left(self) -> list[PartRecord]:
        """What has not passed: the wrong parts, then the open ones, and at the end the check that needs them all."""
        some = [part for part in self.parts if not part.passed]
        return sorted(some, key=lambda part: (part.part == self.last, part.word == "open"))

    def first(self, part: PartRecord) -> str:
        """What has to be done before the last check can pass, in a sentence; "" for nothing, and for another part."""
        if part.passed or part.part != self.last or not self.is_judged or self.left == [part]:
            return ""
        before = self.left[0]
        return f"All parts run together here: first {TO_DO[before.word]} `{before.part}`."


def plain(text: str, longest: int = 300, kept: str = "") -> str:
    """Text of a stranger, safe to print: no control characters but those `kept`, and at most `longest` characters."""
    part = text[: longest + 1]
    if not part.translate(str.maketrans("", "", kept)).isprintable():
        part = "".join(
            item if item.isprintable() or item in kept else item.encode("unicode_escape").decode() for item in part
        )
    return part if len(part) <= longest else f"{part[: longest - 1]}…"


def kept(text: str) -> str:
    """A stranger's text as it may be stored and shown: bounded, without control characters but line ends and tabs."""
    return plain(text, LONGEST_TEXT, kept="\n\t")


def number(points: float) -> str:
    """Points as people write them."""
    return f"{round(points, 2):.2f}".rstrip("0").rstrip(".")


@functools.cache
def versions() -> dict[str, str | None]:
    """The versions of what judges; None for what runs without being installed."""
    return {name: version_of(name) for name in DISTRIBUTIONS}


def version_of(distribution: str) -> str | None:
    """The installed version; None for what runs without being installed."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None
