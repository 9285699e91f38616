"""The records of one grading, and what the rules of the course make of them.

Each record is kept as soon as it exists, as it was judged. The rules are applied when it is shown, so a change of them
grades nothing again. Without a store the records live as long as the process. Whatever a store holds about the rest of
the class is kept, and appears in every view.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta

from minigrad_course.grading import lms as systems
from minigrad_course.grading.book import store as stores
from minigrad_course.grading.book.store import Store
from minigrad_course.grading.lms.roster import Roster
from minigrad_course.grading.people.names import UNKNOWN, When, by_name, folded, shown
from minigrad_course.grading.people.people import Person
from minigrad_course.grading.people.times import zone_named
from minigrad_course.grading.records.record import (
    BEST,
    NOBODY,
    Assigned,
    Course,
    HandedIn,
    Mark,
    PartRecord,
    Record,
    Settings,
    Task,
    in_order,
    number,
)
from minigrad_course.parts import chapter_named
from minigrad_course.programs.process import uninterrupted

STORE = "grades.sqlite"
DAY = timedelta(days=1)


class Gradebook:
    """The records of one grading; of a class, in a store.

    `handed_in` is the subject of this grading. The store may hold more of the class, and the views show all of it.
    """

    def __init__(
        self,
        handed_in: Sequence[HandedIn],
        settings: Settings,
        store: Store | None = None,
        asked: bool = False,
        course: Course | None = None,
    ):
        self.handed_in = handed_in
        self.settings = settings
        self.store = store
        self.asked = asked  # for this very seed
        self.course = course or (store.course if store else Course())
        self.unchanged = 0  # how many were already in the store
        self.memory: dict[str, Record] = {}  # records that are not stored: faults, or all of them without a store
        self.ready: set[str] = set()  # places whose record holds; in the store may be one of what has changed since
        self.rules = stores.rules(settings) if store else ""
        self.keys: dict[str, tuple[str, str]] = {}
        self.whose = {item.place: item.student for item in handed_in}
        self.times = {item.place: item.when for item in handed_in}

    def has(self, task: Task, again: bool) -> bool:
        """True if a record of the task is kept that holds; else what it depends on is noted, for the one to come."""
        if not self.store:
            return False
        key = stores.key(task, self.rules)
        if not again and self.store.has(task.place, key, task.seed if self.asked else None):
            self.ready.add(task.place)
            return True
        self.keys[task.place] = key, stores.digest(task.content)
        return False

    def shows(self, task: Task) -> bool:
        """True if pages show the numbers of a task: anybody who has seen one could print them."""
        return bool(self.store and task.seed is not None and self.store.is_spent(task.seed))

    def keep(self, record: Record) -> None:
        """Keep a record. A fault of the grading is not a grade: the next run tries again."""
        with uninterrupted():
            if self.store and not record.fault:
                self.store.keep(record, *self.keys[record.place])
                self.memory.pop(record.place, None)
            else:
                self.memory[record.place] = record
            self.ready.add(record.place)

    def record(self, place: str, texts: bool = True) -> Record | None:
        """The record of a place, if there is a valid one."""
        if place in self.whose and place not in self.ready:
            return None
        result = self.memory.get(place)
        return result or (self.store.record(place, texts) if self.store else None)

    def records(self, texts: bool = False) -> Iterator[Record]:
        """The records of this grading's submissions, in the order of intake, as the rules of the course have them."""
        return self.ruled(list(self.whose), texts)

    def records_by_student(self) -> Iterator[Record]:
        """The same, student by student as `students` has them; work of nobody comes last."""
        some = [student for student in self.in_order() if student != NOBODY]
        order = {student: at for at, student in enumerate(some)}
        return self.ruled(sorted(self.whose, key=lambda place: order.get(self.whose[place], len(order))))

    def all_records(self) -> Iterator[Record]:
        """The records of the whole class, in the order of intake."""
        return self.ruled(list(dict(self.places())))

    def ruled(self, places: list[str], texts: bool = False) -> Iterator[Record]:
        """The records of some places with what the rules make of them; for that, each student's others are read."""
        waiting: dict[str, Record | None] = {}
        wanted = set(places)
        of_student, owners = self.by_student, self.owners
        for place in places:
            if place not in waiting:
                student = owners.get(place, NOBODY)
                mine = list(self.of([place] if student == NOBODY else of_student[student], texts))
                result = mine if student == NOBODY else self.ruling(student, mine)
                waiting |= {item.place: item for item in result if item.place in wanted}
            if record := waiting.pop(place, None):
                yield record

    def ruling(self, student: str, records: Sequence[Record], assigned: Iterable[str] | None = None) -> list[Record]:
        """What the rules of the course make of a student's records, and of what is missing."""
        ruling = Ruling.on(self.course, student, self.people.get(student))
        assigned = self.assigned if assigned is None else assigned
        made = ruling.records(records, [self.when(record.place) for record in records], assigned)
        return [dataclasses.replace(item, student=student) if item.missing else item for item in made]

    def alone(self, records: Iterable[Record | None]) -> list[Record]:
        """Files as they are shown one by one: what the rules make of each by itself."""
        results = [record for record in records if record]
        return [self.ruling(item.student, [item], assigned=())[0] for item in results]

    def when(self, place: str) -> When:
        """When something was handed in."""
        return self.times.get(place) or (self.store.when(place) if self.store else UNKNOWN)

    @functools.cached_property
    def assigned(self) -> list[str]:
        """The exercises that everybody's points are out of: those of the rules, else those that anybody handed in."""
        if self.course.exercises:
            return in_order(self.course.exercises)
        here = {item.exercise or "" for item in self.memory.values() if item.student != NOBODY and not item.skipped}
        return in_order(here.union(self.store.exercises() if self.store else ()))

    @functools.cached_property
    def owners(self) -> dict[str, str]:
        """The student of each place of the class."""
        return dict(self.places())

    @functools.cached_property
    def by_student(self) -> dict[str, list[str]]:
        """The places of each student, in the order of intake."""
        results: dict[str, list[str]] = {}
        for place, student in self.owners.items():
            results.setdefault(student, []).append(place)
        return results

    @functools.cached_property
    def people(self) -> dict[str, Person]:
        """The people on the class list."""
        return {person.student: person for person in self.roster.people} if self.roster else {}

    def of(self, places: Iterable[str], texts: bool = False) -> Iterator[Record]:
        """The existing records of some places."""
        for place in places:
            record = self.record(place, texts)
            if record is not None:
                yield record

    def places(self) -> Iterable[tuple[str, str]]:
        """Every place of the class, with its student."""
        return self.store.places() if self.store else self.whose.items()

    def unconfined(self) -> list[str]:
        """What was not confined where any of the class's work was judged, in sentences."""
        here = {sentence for record in self.memory.values() for sentence in record.unconfined}
        return sorted(here.union(self.store.unconfined() if self.store else ()))

    @property
    def roster(self) -> Roster | None:
        """The class list, if there is one."""
        return self.store.roster if self.store else None

    def missing(self) -> list[str]:
        """People on the class list who handed in nothing that is known to be theirs."""
        owners, roster = {student for _, student in self.places()}, self.roster
        return [person.student for person in roster.people if person.student not in owners] if roster else []

    @property
    def lacks_somebody(self) -> bool:
        """True if somebody on the class list handed in nothing, or something belongs to nobody."""
        strays = any(student == NOBODY for _, student in self.places())
        return self.roster is not None and (strays or bool(self.missing()))

    def strays(self) -> list[tuple[str, str]]:
        """Work that belongs to nobody: where it is, and why."""
        results = [self.record(place, False) for place, student in self.places() if student == NOBODY]
        return [(item.place, item.obstacle) for item in results if item and item.obstacle]

    def students(self, texts: bool = False) -> Iterator[tuple[str, list[Record]]]:
        """Each student with all their records; only one student at a time is in memory.

        By name, or in the order of the class list, including those without a record. Work of nobody is left out.
        """
        self.forget()
        for student in self.in_order():
            records = list(self.of(self.by_student.get(student, ()), texts))
            if student != NOBODY and (records or student in self.people):
                yield student, self.ruling(student, records)

    def in_order(self) -> list[str]:
        """The students by name, or in the order of the class list, and behind them those who are not on it."""
        return list(dict.fromkeys([*self.people, *sorted(self.by_student, key=by_name)]))

    def forget(self) -> None:
        """Ask the store again whose everything is: another grading may have added to it."""
        for name in ("assigned", "owners", "by_student", "people"):
            self.__dict__.pop(name, None)

    def summary(self) -> Summary:
        """The summary of the grading."""
        made = Summary()
        for record in self.records():
            made.add(record)
        return made


@dataclasses.dataclass
class Summary:
    """The summary of a grading. `unconfined` says what was not confined where something was judged."""

    records: int = 0
    skipped: int = 0
    good: int = 0
    faults: list[str] = dataclasses.field(default_factory=list)
    seeds: set[int] = dataclasses.field(default_factory=set)  # with which the numbers of some check were drawn
    unconfined: list[str] = dataclasses.field(default_factory=list)

    def add(self, record: Record) -> None:
        """Count a record."""
        self.records += 1
        self.skipped += bool(record.skipped) or not record.counts
        self.good += record.passed and record.counts
        self.seeds |= {record.seed} if record.seed is not None else set()
        self.faults += [record.place] if record.fault else []
        self.unconfined = sorted({*self.unconfined, *record.unconfined})

    @property
    def status(self) -> int:
        """The exit status: 0 if everything passes, 3 if the grading itself failed somewhere."""
        if self.faults:
            return 3
        return 0 if self.good and self.good == self.records - self.skipped else 1


# --- what the rules make of a student's work ------------------------------------------------------


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
