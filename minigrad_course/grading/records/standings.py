"""Where a student stands: the records that count, and the name of the page that shows them."""

from __future__ import annotations

import dataclasses
import hashlib
import re
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path

from minigrad_course.grading.people.people import Person
from minigrad_course.grading.records.record import Record

ALL = "all"  # exercises together


def file_name(student: str) -> str:
    """The name of a student's page: readable in every script, harmless, and unlike everybody else's."""
    text = unicodedata.normalize("NFC", student.lower())
    kept = "".join(item if unicodedata.category(item)[0] in "LMN" else "-" for item in text)
    readable = unicodedata.normalize("NFC", re.sub("-+", "-", kept).strip("-")[:40])
    return f"{readable or 'student'}-{hashlib.sha256(student.encode()).hexdigest()[:10]}.html"


def counted(records: Iterable[Record]) -> list[Record]:
    """Of each exercise the record that counts: the best, if no rule says which."""
    best: dict[str, Record] = {}
    for record in records:
        if record.parts and record.exercise and record.counts:
            before = best.get(record.exercise)
            best[record.exercise] = max(before, record, key=lambda item: item.points) if before else record
    return [best[name] for name in sorted(best)]


@dataclasses.dataclass(frozen=True)
class Standing:
    """A student with all records as the rules have them. `page` is the student's page, if it was written."""

    student: str
    records: Sequence[Record]
    person: Person | None = None
    keys: frozenset[str] = frozenset()  # what Moodle's numbers and Canvas's ids in the names of files say
    page: Path | None = None

    @property
    def word(self) -> str:
        """The student's name as a folder can have it, unlike everybody else's."""
        return file_name(self.student).removesuffix(".html")

    def of(self, exercise: str) -> list[Record]:
        """What counts of an exercise, or of all."""
        return [item for item in counted(self.records) if exercise in (ALL, item.exercise)]

    def share(self, exercise: str) -> float | None:
        """The share of the points of an exercise, from 0 to 1; None where it is not known what it is worth."""
        result = self.of(exercise)
        possible = sum(item.weight * item.possible for item in result)
        return sum(item.weight * item.points for item in result) / possible if possible else None

    def unopened(self, exercise: str) -> list[str]:
        """Why files could not be graded, where no other file counts for their exercise."""
        done = {item.exercise for item in self.of(exercise) if item.is_judged}
        here = [record for record in self.records if exercise == ALL or record.exercise in (None, exercise)]
        whys = [item.error or item.fault for item in here if (item.exercise or exercise) not in done]
        return [why[0].upper() + why[1:] for why in whys if why]

    def said(self, exercise: str) -> str:
        """What the rules and a person say about it, and why a file could not be graded."""
        result = self.of(exercise)
        parts = [f"{part.part}: {part.by_hand}" for item in result for part in item.parts if part.by_hand]
        return " ".join([*self.unopened(exercise), *(sentence for item in result for sentence in item.said), *parts])
