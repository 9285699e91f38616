"""`course.toml`: the rules of a course as an instructor writes them. What cannot be meant is refused, with its line."""

from __future__ import annotations

import contextlib
import dataclasses
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime, time
from pathlib import Path
from typing import Any, TypeVar

from minigrad_course.grading.lms.roster import Roster
from minigrad_course.grading.people.given import content_of, likely
from minigrad_course.grading.people.names import folded
from minigrad_course.grading.people.people import Person
from minigrad_course.grading.people.times import zone_named
from minigrad_course.grading.records.record import BEST, LAST, Assigned, BadCourse, Course, Extension, Mark
from minigrad_course.parts import Chapter, chapters

LARGEST = 1_000_000  # bytes
END_OF_DAY = time(23, 59, 59)
KEYS = {
    "": ("attempts", "timezone", "late", "exercises", "extensions", "marks"),
    "late": ("per_day", "at_most", "grace"),
    "exercises": ("weight", "deadline", "without"),
    "extensions": ("student", "exercise", "until"),
    "marks": ("student", "exercise", "part", "points", "comment"),
}
Path_ = tuple[str | int, ...]  # of keys and counts, to a value in the file
Kind = TypeVar("Kind")


def chapter_meant(text: str) -> Chapter | None:
    """The exercise that a number or a name means."""
    text = text.strip().removesuffix(".ipynb")
    if re.fullmatch(r"0*\d{1,4}", text):
        return next((chapter for chapter in chapters() if chapter.number == int(text)), None)
    return next((chapter for chapter in chapters() if text in (chapter.name, chapter.name.partition("_")[2])), None)


def suggested(text: str, known: Iterable[str]) -> str:
    """The end of a sentence on an unknown word: the nearest known one, or all."""
    known = list(dict.fromkeys(known))
    near = likely(text, known)
    return f"did you mean {near}?" if near else f"there are {', '.join(known[:20])}."


def exercises_meant(texts: Iterable[str]) -> list[str]:
    """The exercises that the words of `--exercise` mean. BadCourse if there is none of that name."""
    results = []
    for text in texts:
        chapter = chapter_meant(text)
        if chapter is None:
            raise BadCourse(
                f"--exercise {text}: no exercise; {suggested(text, [chapter.name for chapter in chapters()])}"
            )
        results.append(chapter.name)
    return list(dict.fromkeys(results))


def read(path: Path) -> Course:
    """Read the rules from a file. BadCourse if it holds anything that cannot be meant."""
    content = content_of(path, LARGEST, BadCourse, "a course.toml")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadCourse(f"{path} is not UTF-8; save it as UTF-8.") from None
    text = text.replace("\r\n", "\n")
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadCourse(f"{path} is not TOML: {error}. Put texts in quotes, and give each key once.") from None
    return Reader(str(path), text).course(data)


class Reader:
    """Reads one file; every refusal says the line."""

    def __init__(self, name: str, text: str):
        self.name = name
        self.text = text
        self.zone = ""

    def bad(self, path: Path_, sentence: str) -> BadCourse:
        """What is wrong at a place."""
        line = line_of(self.text, path)
        where = ".".join(str(item + 1) if isinstance(item, int) else item for item in path)
        return BadCourse(f"{self.name}{f', line {line}' if line else ''}, {where}: {sentence}")

    def course(self, data: dict[str, Any]) -> Course:
        """The course in a file's data."""
        self.demand_keys((), data, KEYS[""])
        attempts = data.get("attempts", BEST)
        if attempts not in (BEST, LAST):
            raise self.bad(("attempts",), f'{attempts!r} is no rule; write "best" or "last".')
        self.zone = self.of_kind(("timezone",), data.get("timezone", ""), str, 'a text such as "Europe/Berlin"')
        try:
            if self.zone:
                zone_named(self.zone)
        except (LookupError, ValueError):
            what = f'{self.zone!r} is not known here; write a name such as "Europe/Berlin", or "UTC".'
            raise self.bad(("timezone",), what) from None
        late = self.table(("late",), data.get("late", {}), KEYS["late"])
        exercises = self.of_kind(("exercises",), data.get("exercises", {}), dict, "tables such as [exercises.01]")
        assigned: dict[str, Assigned] = {}
        for key, value in exercises.items():
            name = self.exercise(("exercises", key), key)
            if name in assigned:
                raise self.bad(("exercises", key), f"{name} is there twice; keep one.")
            assigned[name] = self.assigned(("exercises", key), name, value)
        return Course(
            assigned,
            attempts,
            self.amount(("late", "per_day"), late.get("per_day", 0), 100, "percent for each day"),
            self.amount(("late", "at_most"), late.get("at_most", 100), 100, "percent"),
            self.amount(("late", "grace"), late.get("grace", 0), 1e6, "minutes"),
            tuple(self.each("extensions", data, self.extension)),
            tuple(self.each("marks", data, self.mark)),
            self.zone,
        )

    def each(self, name: str, data: dict[str, Any], made: Callable[[Path_, dict[str, Any]], Kind]) -> list[Kind]:
        """Everything in a list of tables."""
        values = self.of_kind((name,), data.get(name, []), list, f"tables, each below a line [[{name}]]")
        return [made((name, count), self.table((name, count), value, KEYS[name])) for count, value in enumerate(values)]

    def assigned(self, path: Path_, exercise: str, value: object) -> Assigned:
        """An exercise that counts."""
        table = self.table(path, value, KEYS["exercises"])
        without = self.of_kind((*path, "without"), table.get("without", []), list, 'a list such as ["mul", "pow"]')
        for part in without:
            self.part((*path, "without"), part, exercise)
        chapter = chapter_meant(exercise)
        if chapter and set(chapter.checks) <= set(without):
            raise self.bad((*path, "without"), f"nothing is left of {exercise}; leave its table out instead.")
        deadline = self.moment((*path, "deadline"), table["deadline"]) if "deadline" in table else None
        weight = self.amount((*path, "weight"), table.get("weight", 1), 1e6, "times its points")
        return Assigned(weight, deadline, tuple(dict.fromkeys(without)))

    def extension(self, path: Path_, table: dict[str, Any]) -> Extension:
        """More time for a student."""
        self.demand(path, table, "student", "until")
        exercise = self.exercise((*path, "exercise"), table["exercise"]) if "exercise" in table else ""
        return Extension(self.student(path, table), exercise, self.moment((*path, "until"), table["until"]))

    def mark(self, path: Path_, table: dict[str, Any]) -> Mark:
        """What a person gives or says."""
        self.demand(path, table, "student")
        exercise = self.exercise((*path, "exercise"), table["exercise"]) if "exercise" in table else ""
        part = table.get("part", "")
        if part:
            exercise = self.part((*path, "part"), part, exercise)
        if not exercise:
            raise self.bad(path, "nothing says what it is about; add exercise or part.")
        comment = self.of_kind((*path, "comment"), table.get("comment", ""), str, "a text in quotes")
        points = table.get("points")
        if points is None and not comment:
            raise self.bad(path, "it gives nothing; add points, a comment, or both.")
        if points is not None and not part:
            raise self.bad((*path, "points"), "points belong to a part; add part.")
        if points is not None:
            chapter = chapter_of_check(part)
            most = chapter.points(part) if chapter else 0
            points = self.amount((*path, "points"), points, most, f"points of {part}")
        return Mark(self.student(path, table), exercise, part, points, comment.strip())

    # --- single values ---------------------------------------------------------------------------

    def demand_keys(self, path: Path_, table: dict[str, Any], known: Sequence[str]) -> None:
        """Refuse a key that means nothing here."""
        for key in table:
            if key not in known:
                raise self.bad((*path, key), f"nothing is called so here; {suggested(key, known)}")

    def demand(self, path: Path_, table: dict[str, Any], *keys: str) -> None:
        """Refuse a table that lacks something."""
        for key in keys:
            if key not in table:
                raise self.bad(path, f"{key} is missing; add it.")

    def table(self, path: Path_, value: object, known: Sequence[str]) -> dict[str, Any]:
        """A table with known keys only."""
        table: dict[str, Any] = self.of_kind(path, value, dict, f"a table with {', '.join(known)}")
        self.demand_keys(path, table, known)
        return table

    def of_kind(self, path: Path_, value: object, kind: type[Kind], wanted: str) -> Kind:
        """A value of a kind."""
        if not isinstance(value, kind):
            raise self.bad(path, f"{value!r} is not what belongs here; write {wanted}.")
        return value

    def amount(self, path: Path_, value: object, most: float, unit: str) -> float:
        """A number from 0 on."""
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
            raise self.bad(path, f"{value!r} is not a number from 0 to {most:g} ({unit}).")
        return value

    def student(self, path: Path_, table: dict[str, Any]) -> str:
        """The name of a student; an id may be a number."""
        value = table["student"]
        text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
        return str(self.of_kind((*path, "student"), text, str, "a name, an id or an email in quotes"))

    def exercise(self, path: Path_, value: object) -> str:
        """The name of an exercise, from its number or its name."""
        chapter = chapter_meant(str(value))
        if chapter is None:
            raise self.bad(path, f"{value!r} is no exercise; {suggested(str(value), [c.name for c in chapters()])}")
        return chapter.name

    def part(self, path: Path_, value: object, exercise: str) -> str:
        """The exercise of a part; refused if it is unknown, or another exercise's."""
        chapter = chapter_of_check(value)
        if chapter is None or exercise not in ("", chapter.name):
            known = [part for chapter in chapters() for part in chapter.checks if exercise in ("", chapter.name)]
            raise self.bad(
                path, f"{value!r} is no part{f' of {exercise}' * bool(exercise)}; {suggested(str(value), known)}"
            )
        return chapter.name

    def moment(self, path: Path_, value: object) -> datetime:
        """A time; a date is the end of that day."""
        if isinstance(value, str):
            with contextlib.suppress(ValueError):
                value = datetime.fromisoformat(value) if len(value) > len("2026-11-02") else date.fromisoformat(value)
        if isinstance(value, datetime):
            return value
        if isinstance(value, date):
            return datetime.combine(value, END_OF_DAY)
        raise self.bad(
            path, f"{str(value)!r} is no date; write 2026-11-02 (the end of that day) or 2026-11-02 18:00:00."
        )


def chapter_of_check(name: object) -> Chapter | None:
    """The chapter that has a check of this name."""
    return next((chapter for chapter in chapters() if name in chapter.checks), None)


def line_of(text: str, path: Path_) -> int:
    """The line of a value in a file, or of what is around it; 0 if it cannot be found."""
    table: Path_ = ()
    counts: Counter[Path_] = Counter()
    line, deepest = 0, 0
    for number, each in enumerate(text.split("\n"), start=1):
        try:
            table = table_of(each, counts) if each.lstrip().startswith("[") else table
        except tomllib.TOMLDecodeError:
            continue
        here = table
        if match := re.match(r"""\s*(?:([\w-]+)|"([^"]*)"|'([^']*)')\s*[=.]""", each):
            here = (*table, next(filter(None, match.groups()), ""))
        if len(here) > deepest and path[: len(here)] == here:
            line, deepest = number, len(here)
    return line


def table_of(line: str, counts: Counter[Path_]) -> Path_:
    """The path of the table that a line opens. TOMLDecodeError if it opens none."""
    inside: Any = tomllib.loads(line)
    path: Path_ = ()
    while inside:
        if isinstance(inside, list):
            counts[path] += 1
            path, inside = (*path, counts[path] - 1), inside[0]
        else:
            ((key, inside),) = inside.items()
            path = (*path, key)
    return path


# --- people --------------------------------------------------------------------------------------


def with_people(course: Course, name: str, roster: Roster | None, students: Iterable[str]) -> Course:
    """The same rules with each student under the name that the class has.

    BadCourse if the rules name somebody who is not in the class, or two people may be meant.
    """
    called: dict[str, str] = {}
    known = (
        roster.people
        if roster
        else [Person(name=student, student=student) for student in dict.fromkeys(students) if student]
    )
    for text in course.people():
        meant = [item for item in known if folded(text) in item.texts()]
        exact = [item for item in meant if folded(text) in {*item.given(), folded(item.student)}]
        if not meant:
            near = suggested(text, [item.student for item in known])
            raise BadCourse(f"{name}: nobody in the class is {text!r}; {near}")
        if len(meant) > 1 and len(exact) != 1:
            both = " and ".join(item.student for item in meant[:2])
            raise BadCourse(f"{name}: {text!r} may be {both}; write the id or the email.")
        called[text] = (exact if len(exact) == 1 else meant)[0].student
    return dataclasses.replace(
        course,
        extensions=tuple(
            dataclasses.replace(extension, student=called[extension.student]) for extension in course.extensions
        ),
        marks=tuple(dataclasses.replace(mark, student=called[mark.student]) for mark in course.marks),
    )
