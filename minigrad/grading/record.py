"""What a grading keeps of a submission: plain text and numbers, for other processes and the store.

Everything that a stranger wrote is bounded here, and is text that can be written as UTF-8.
"""

from __future__ import annotations

import dataclasses
import functools
from importlib.metadata import PackageNotFoundError, version

from minigrad.grading.judge import Result, plain

LONGEST_TEXT = 20_000  # characters of what a check printed, and of an answer
DISTRIBUTIONS = ("minigrad-course", "torch", "numpy", "nbval")


@dataclasses.dataclass(frozen=True)
class PartRecord:
    """The result of one check. `word` is "passed", "wrong" or "open"; `mistake` is the name of a known one."""

    part: str
    word: str
    points: int
    possible: int
    what: str = ""
    mistake: str | None = None
    text: str = ""
    reference: str = ""
    seconds: float = 0.0

    @property
    def passed(self) -> bool:
        return self.word == "passed"


@dataclasses.dataclass(frozen=True)
class Record:
    """The result of one submission.

    `error` is why the file could not be graded, `notices` are what a person should know, `answers` its code by part,
    and `shapes` what that is like (see `shape.py`), of those that are not short.
    `skipped` says why this is not the student's work; no grade depends on it.
    `fault` is an error of the grading itself: such a record is shown, and never kept. `unconfined` says what was not
    confined where it was judged. `seed` is the one its numbers were drawn with, None where no check ran.
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
    shapes: dict[str, str] = dataclasses.field(default_factory=dict)
    seconds: float = 0.0
    unconfined: tuple[str, ...] = ()
    seed: int | None = None

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
    def points(self) -> int:
        return sum(part.points for part in self.parts)

    @property
    def possible(self) -> int:
        return sum(part.possible for part in self.parts)


def part_record(result: Result, seconds: float) -> PartRecord:
    """A result as plain data."""
    return PartRecord(
        part=result.check,
        word=result.word,
        points=result.points,
        possible=result.possible,
        what=result.what,
        mistake=result.mistake.name if result.mistake else None,
        text=kept(result.text),
        reference=kept(result.reference),
        seconds=seconds,
    )


def kept(text: str) -> str:
    """A stranger's text as it may be stored and shown: bounded, without control characters but line ends and tabs."""
    return plain(text, LONGEST_TEXT, kept="\n\t")


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
