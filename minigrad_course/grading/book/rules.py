"""What counts in a course: which exercises, how much, until when, and what a person has decided.

The store keeps what was judged. These rules are applied to that when it is shown, so a change of them grades nothing
again.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

from minigrad_course.grading import lms as systems
from minigrad_course.grading.people.names import folded
from minigrad_course.grading.people.people import Person
from minigrad_course.grading.people.times import When, shown, zone_named
from minigrad_course.grading.records.record import PartRecord, Record, number
from minigrad_course.parts import chapter_named, chapters

BEST, LAST = "best", "last"
DAY = timedelta(days=1)


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

    def data(self) -> dict[str, object]:
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


# --- what the rules make of a student's work -----------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Ruling:
    """The rules for one student. `names` are the texts that stand for that student, as `folded` has them."""

    course: Course
    names: frozenset[str]
    person: Person | None = None

    @classmethod
    def on(cls, course: Course, student: str, person: Person | None = None) -> Ruling:
        """The rules for a student, whom the class list may know under more names."""
        return cls(course, frozenset({folded(student), *(person.texts() if person else ())}), person)

    def records(self, records: Sequence[Record], times: Sequence[When], assigned: Iterable[str]) -> list[Record]:
        """The records of the student in the same order, with what counts; and one for each exercise that is missing.

        A file that could not be graded gets the parts of its exercise, open: it was handed in, and is worth nothing.
        """
        made = [self.judged(record, when) for record, when in zip(records, times, strict=True)]
        for exercise in dict.fromkeys(item.exercise for item in made if item.exercise and item.parts and item.counts):
            here = [place for place, item in enumerate(made) if item.exercise == exercise and item.parts]
            if len(here) > 1:
                self.choose(made, here, times)
        student = records[0].student if records else self.person.student if self.person else ""
        assigned = in_order(assigned)
        for exercise in assigned:
            if any(item.exercise == exercise and item.parts for item in made):
                continue
            meant = (exercise, None) if len(assigned) == 1 else (exercise,)
            spoilt = [at for at, item in enumerate(made) if (item.error or item.fault) and item.exercise in meant]
            if spoilt:
                made[spoilt[-1]] = self.open(dataclasses.replace(made[spoilt[-1]], exercise=exercise))
                continue
            others = any((item.error or item.fault) and not item.exercise for item in made)
            why = "nothing that could be graded was handed in" if others else "not handed in"
            made.append(self.open(Record("", student, exercise, said=(f"{exercise}: {why}.",))))
        return made

    def judged(self, record: Record, when: When) -> Record:
        """One attempt, by itself."""
        when = self.time(record, when)
        record = dataclasses.replace(record, when=when)
        if not record.parts or not record.exercise:
            return record
        if not self.course.counts(record.exercise):
            return dataclasses.replace(
                record, counts=False, said=(f"{record.exercise} is not assigned, so it does not count.",)
            )
        made = self.marked(record)
        percent, said = self.late(record.exercise, when)
        points = sum(part.points for part in made.parts)
        return dataclasses.replace(made, deducted=round(points * percent / 100, 2), said=(*made.said, *said))

    def marked(self, record: Record) -> Record:
        """A record with what a person has decided on it, and without the parts that are left out."""
        exercise = record.exercise or ""
        assigned = self.course.exercises.get(exercise, Assigned())
        marks = [mark for mark in self.course.marks if mark.exercise == exercise and folded(mark.student) in self.names]
        parts = tuple(part_marked(part, marks) for part in record.parts if part.part not in assigned.without)
        said = tuple(mark.comment for mark in marks if not mark.part)
        return dataclasses.replace(record, parts=parts, weight=assigned.weight, said=(*record.said, *said))

    def open(self, record: Record) -> Record:
        """What stands for an exercise of which nothing could be judged: all its parts are open."""
        chapter = chapter_named(record.exercise or "")
        checks = chapter.checks if chapter else []
        parts = tuple(PartRecord(check, "open", 0, chapter.points(check)) for check in checks) if chapter else ()
        return self.marked(dataclasses.replace(record, parts=parts))

    def time(self, record: Record, when: When) -> When:
        """When an attempt was handed in: what the class list says comes before the file's own time."""
        when = systems.listed(self.person, record.place) or when
        return dataclasses.replace(when, at=self.zoned(when.at)) if when.at else when

    def zoned(self, at: datetime) -> datetime:
        """A time with a zone."""
        if at.tzinfo:
            return at
        return at.replace(tzinfo=zone_named(self.course.zone)) if self.course.zone else at.astimezone()

    def late(self, exercise: str, when: When) -> tuple[float, tuple[str, ...]]:
        """How many percent go because an attempt is late, and the sentence about it."""
        course = self.course
        own = [
            extension.until
            for extension in course.extensions
            if extension.exercise in ("", exercise) and folded(extension.student) in self.names
        ]
        general = course.exercises.get(exercise, Assigned()).deadline
        ends = [self.zoned(item) for item in (*own, general) if item]
        if when.late and course.per_day and not own:
            percent = min(course.per_day, course.at_most)
            return percent, (f"Late by {when.source}, which has no time: one day, −{number(percent)} %.",)
        if not ends:
            return 0, ()
        end = max(ends)
        if when.at is None:
            if when.late is False:
                return 0, ()
            what = f"{when.source} says late, but not how late" if when.late else "nothing says when it was handed in"
            return 0, (f"No penalty, because {what}; the deadline was {shown(end)}.",)
        over = when.at - end
        if over <= timedelta(minutes=course.grace):
            extended = general is not None and when.at > self.zoned(general) + timedelta(minutes=course.grace)
            return 0, ((f"In time because of the extension until {shown(end)}.",) if own and extended else ())
        days = math.ceil(over / DAY)
        percent = min(course.per_day * days, course.at_most)
        text = f"Late by {days} {'day' if days == 1 else 'days'}: handed in {shown(when.at.astimezone(end.tzinfo))}"
        return percent, (f"{text} by {when.source}, due {shown(end)}; −{number(percent)} %.",)

    def choose(self, made: list[Record], here: list[int], times: Sequence[When]) -> None:
        """Say which of several attempts at an exercise counts."""
        word, how = self.course.attempts, ""
        handed = {place: self.time(made[place], times[place]).at for place in here}
        if word == BEST:
            chosen = max(here, key=lambda place: (made[place].points, -place))
        elif all(handed.values()):
            chosen = max(here, key=lambda place: (handed[place], place))
        else:
            chosen, how = here[-1], ", in the order of grading, because a time is not known"
        for place in here:
            which = f"the {word} of {len(here)} attempts{how}"
            said = f"Counts: {which}." if place == chosen else f"Does not count: {made[chosen].place} does, {which}."
            attempts = len(here) if place == chosen and word == BEST else 1
            all_said = (*made[place].said, said)
            made[place] = dataclasses.replace(made[place], counts=place == chosen, attempts=attempts, said=all_said)


def part_marked(part: PartRecord, marks: Sequence[Mark]) -> PartRecord:
    """A part with what a person has given for it and said about it."""
    for mark in marks:
        if mark.part == part.part:
            given = part.points if mark.points is None else mark.points
            judged = part.judged if mark.points is None else part.points
            comment = " ".join(filter(None, (part.comment, mark.comment)))
            part = dataclasses.replace(part, points=given, judged=judged, comment=comment)
    return part
