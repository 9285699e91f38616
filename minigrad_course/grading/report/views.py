"""A grading for programs: CSV with one row per student, JSON, JUnit XML.

Names and texts come from strangers: a cell of a table never becomes a formula, and no character breaks the format.
"""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import re
import textwrap
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from xml.etree import ElementTree

from minigrad_course.grading.lms.roster import Roster
from minigrad_course.grading.people.names import possible
from minigrad_course.grading.records.record import PartRecord, Record, plain, versions
from minigrad_course.grading.records.standings import counted
from minigrad_course.parts import chapters

FOLDER = "students"  # of pages
LATE = "late"  # the column of what goes for that
MARK = "\ufeff"  # without it, some spreadsheets take UTF-8 for something else
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet treats these as the start of one


# --- names of pages ------------------------------------------------------------------------------


def is_page(name: str) -> bool:
    """True for the name of a student's page, as `file_name` makes it."""
    return re.fullmatch(r"[^./\\]+-[0-9a-f]{10}\.html", name) is not None


# --- CSV -----------------------------------------------------------------------------------------


def as_csv(
    students: Iterable[tuple[str, list[Record]]],
    roster: Roster | None = None,
    strays: Sequence[tuple[str, str]] = (),
) -> str:
    """One row per student: the points for each exercise and part, and notes for a person to read.

    With a class list everybody on it has a row, with id and email. What was not handed in is 0 points of what it is
    worth. `strays` are what belongs to nobody, and why: a row with that person's name in it says so.
    """
    people = {person.student: person for person in roster.people} if roster else {}
    rows: list[Row] = []
    columns: dict[str, int] = {}
    for name, mine in students:
        row = Row(name, notes=[note for record in mine for note in notes(record)])
        for record in counted(mine):
            exercise = record.exercise or ""
            row.handed_in |= not record.missing
            row.points += record.weight * record.points
            row.possible += record.weight * record.possible
            row.put(columns, exercise, record.points)
            if record.deducted:
                row.put(columns, f"{exercise}:{LATE}", -record.deducted)
            for part in record.parts:
                row.put(columns, f"{exercise}:{part.part}", part.points)
        rows.append(row)
    text = io.StringIO()
    order = in_order(columns)
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(["student", *(("id", "email") if roster else ()), "points", "possible", *order, "notes"])
    for row in rows:
        person = people.get(row.student)
        result = row.found(columns)
        if person and not row.handed_in:
            row.notes += [f"{place}: {why}" for place, why in strays if row.student in possible(why)]
        own = ([cell(person.id), cell(person.email)] if person else ["", ""]) if roster else []
        cells = [amount(result[name]) for name in order]
        total = amount(row.points), amount(row.possible)
        writer.writerow([cell(row.student), *own, *total, *cells, cell("; ".join(row.notes))])
    return text.getvalue()


@dataclasses.dataclass(slots=True)
class Row:
    """A student in the table. `values` are the points in the order in which the columns turned up; "" for none."""

    student: str
    points: float = 0
    possible: float = 0
    handed_in: bool = False
    notes: list[str] = dataclasses.field(default_factory=list)
    values: list[float | str] = dataclasses.field(default_factory=list)

    def put(self, columns: dict[str, int], column: str, points: float) -> None:
        """Put points into a column, which may be new."""
        place = columns.setdefault(column, len(columns))
        self.values += [""] * (place + 1 - len(self.values))
        self.values[place] = points

    def found(self, columns: dict[str, int]) -> dict[str, float | str]:
        """The points by column."""
        return {name: self.values[place] if place < len(self.values) else "" for name, place in columns.items()}


def in_order(columns: Iterable[str]) -> list[str]:
    """The columns as the course has them: each exercise, then its parts."""
    known = [name for chapter in chapters() for name in columns_of(chapter.name, chapter.checks)]
    present = set(columns)
    return [name for name in known if name in present]


def columns_of(exercise: str, checks: Sequence[str]) -> tuple[str, ...]:
    """The columns of an exercise."""
    return exercise, *(f"{exercise}:{check}" for check in checks), f"{exercise}:{LATE}"


def begin(records: Iterable[Record]) -> tuple[Record, PartRecord] | None:
    """Where to begin, in what counts: the first part in course order that is wrong, else the first that is open."""
    first = [(record, record.left[0]) for record in counted(records) if record.is_judged and record.left]
    return min(first, key=lambda item: item[1].word == "open", default=None)


def notes(record: Record) -> list[str]:
    """What a person should know about a record, in sentences."""
    by_hand = [f"{part.part}: {part.by_hand}" for part in record.parts if part.by_hand]
    said = [record.obstacle, *record.notices, record.many, *record.said, *by_hand]
    if record.missing:
        return [f"{record.exercise}: {item}" if item in by_hand else item for item in said if item]
    return [f"{record.place}: {sentence}" for sentence in said if sentence]


def amount(points: float | str) -> float | str:
    """Points as a cell has them: whole where they are whole."""
    return points if isinstance(points, str) else int(points) if points == int(points) else round(points, 2)


def cell(text: str) -> str:
    """Text for a cell of a table: in one line, and never a formula, in whatever width its first sign is written."""
    shown = plain(text, 5000)
    return f"'{shown}" if unicodedata.normalize("NFKC", shown).lstrip().startswith(FORMULA) else shown


# --- JSON ----------------------------------------------------------------------------------------


def as_json(
    records: Iterable[Record],
    unconfined: list[str],
    remarks: Sequence[str] = (),
    students: Iterable[tuple[str, list[Record]]] = (),
) -> Iterator[str]:
    """The whole grading as JSON, piece by piece: every file, and every student with what counts."""
    head = {"versions": versions(), "unconfined": unconfined, "remarks": list(remarks)}
    yield json.dumps(head, indent=2).removesuffix("\n}") + ',\n  "files": ['
    passed, comma = True, ""
    for record in records:
        passed = passed and (record.passed or bool(record.skipped) or not record.counts)
        yield comma + textwrap.indent("\n" + json.dumps(file_data(record), indent=2), "    ")
        comma = ","
    yield '\n  ],\n  "students": ['
    comma = ""
    for name, mine in students:
        yield comma + textwrap.indent("\n" + json.dumps(student_data(name, mine), indent=2), "    ")
        comma = ","
    yield f'\n  ],\n  "passed": {json.dumps(passed)}\n}}\n'


def student_data(student: str, records: Sequence[Record]) -> dict[str, object]:
    """What counts of a student as JSON data. An exercise that was not handed in has no file."""
    best = counted(records)
    return {
        "student": student,
        "points": amount(sum(item.weight * item.points for item in best)),
        "possible": amount(sum(item.weight * item.possible for item in best)),
        "exercises": [{"weight": item.weight, **file_data(item)} for item in best],
    }


def file_data(record: Record) -> dict[str, object]:
    """One submission as JSON data."""
    return {
        "file": record.place or None,
        "student": record.student,
        "exercise": record.exercise,
        "seed": record.seed,
        "passed": record.passed,
        "error": record.error or record.fault,
        "skipped": record.skipped,
        "notices": list(record.notices),
        "counts": record.counts,
        "rules": list(record.said),
        "deducted": record.deducted,
        "handed_in": None if record.missing else record.when.data(),
        "points": amount(record.points),
        "possible": record.possible,
        "parts": [part_data(part) for part in record.parts],
    }


def part_data(part: PartRecord) -> dict[str, object]:
    """One check's result as JSON data."""
    return {
        "part": part.part,
        "result": part.word,
        "points": amount(part.points),
        "by_hand": part.judged is not None,
        "judged": amount(part.points if part.judged is None else part.judged),
        "comment": part.comment,
        "possible": part.possible,
        "what": part.what,
        "mistake": part.mistake,
        "error": part.error,
    }


# --- JUnit ---------------------------------------------------------------------------------------


def as_junit(records: Iterable[Record]) -> Iterator[str]:
    """JUnit XML, piece by piece: a suite for each submission, a case for each check."""
    yield '<?xml version="1.0" encoding="utf-8"?>\n<testsuites name="minigrad">\n'
    for record in records:
        failures = sum(not part.passed for part in record.parts) + len(record.notices)
        broken = record.error or record.fault
        suite = ElementTree.Element(
            "testsuite",
            name=plain(record.place),
            tests=str(len(record.parts) + len(record.notices) + bool(record.obstacle)),
            failures=str(failures),
            errors=str(int(bool(broken))),
            skipped=str(int(bool(record.skipped))),
            time=f"{record.seconds:.3f}",
        )
        name = record.exercise or "submission"
        if broken:
            case(suite, "file", name, 0.0, "error", broken)
        elif record.skipped:
            case(suite, "folder", name, 0.0, "skipped", record.skipped)
        for part in record.parts:
            case(suite, part.part, name, part.seconds, "" if part.passed else "failure", part.what)
        for count, notice in enumerate(record.notices, start=1):
            case(suite, f"notice {count}", name, 0.0, "failure", notice)
        yield ElementTree.tostring(suite, encoding="unicode") + "\n"
    yield "</testsuites>\n"


def case(suite: ElementTree.Element, name: str, group: str, seconds: float, outcome: str, sentence: str) -> None:
    """One case; `outcome` is the name of the element that says it did not pass, or ""."""
    made = ElementTree.SubElement(suite, "testcase", name=name, classname=plain(group), time=f"{seconds:.3f}")
    if outcome:
        ElementTree.SubElement(made, outcome, message=plain(sentence, 1000))
