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
    kept = "".join(each if unicodedata.category(each)[0] in "LMN" else "-" for each in text)
    readable = unicodedata.normalize("NFC", re.sub("-+", "-", kept).strip("-")[:40])
    return f"{readable or 'student'}-{hashlib.sha256(student.encode()).hexdigest()[:10]}.html"


def counted(records: Iterable[Record]) -> list[Record]:
    """Of each exercise the record that counts: the best, if no rule says which."""
    best: dict[str, Record] = {}
    for record in records:
        if record.parts and record.exercise and record.counts:
            before = best.get(record.exercise)
            best[record.exercise] = max(before, record, key=lambda each: each.points) if before else record
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
        return [each for each in counted(self.records) if exercise in (ALL, each.exercise)]

    def share(self, exercise: str) -> float | None:
        """The share of the points of an exercise, from 0 to 1; None where it is not known what it is worth."""
        found = self.of(exercise)
        possible = sum(each.weight * each.possible for each in found)
        return sum(each.weight * each.points for each in found) / possible if possible else None

    def unopened(self, exercise: str) -> list[str]:
        """Why files could not be graded, where no other file counts for their exercise."""
        done = {each.exercise for each in self.of(exercise) if each.is_judged}
        here = [each for each in self.records if exercise == ALL or each.exercise in (None, exercise)]
        whys = [each.error or each.fault for each in here if (each.exercise or exercise) not in done]
        return [why[0].upper() + why[1:] for why in whys if why]

    def said(self, exercise: str) -> str:
        """What the rules and a person say about it, and why a file could not be graded."""
        found = self.of(exercise)
        parts = [f"{part.part}: {part.by_hand}" for each in found for part in each.parts if part.by_hand]
        return " ".join([*self.unopened(exercise), *(sentence for each in found for sentence in each.said), *parts])
