"""What a grading keeps of a submission: plain text and numbers, for other processes and the store.

Everything that a stranger wrote is bounded here, and is text that can be written as UTF-8.
"""

from __future__ import annotations

import dataclasses
import functools
from importlib.metadata import PackageNotFoundError, version

from minigrad_course.grading.people.times import UNKNOWN, When
from minigrad_course.parts import chapter_named

LONGEST_TEXT = 20_000  # characters of what a check printed, and of an answer
PRINTS = "prints"  # in the place of a known mistake: the answer prints, and does nothing else wrong
FEW_ATTEMPTS = 5  # at an exercise; of more somebody should know, if the best of them counts
TO_DO = {"wrong": "mend", "open": "finish"}
DISTRIBUTIONS = ("minigrad-course", "torch", "numpy", "nbval")


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
