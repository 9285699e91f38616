"""Where marks go: a class's points in the files of the systems that asked for the work, and pages as these take them.

Each function names what its format was taken from. Rows that an instructor downloaded are filled, never made up.
"""

from __future__ import annotations

import csv
import dataclasses
import html
import io
import json
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from minigrad.grading.entries import listed
from minigrad.grading.given import content_of
from minigrad.grading.record import Record, number
from minigrad.grading.roster import (
    CANVAS,
    COLUMNS,
    LARGEST,
    SEPARATORS,
    BadRoster,
    Person,
    columns_of,
    decoded,
    folded,
    numbered_rows,
    person_in,
)
from minigrad.grading.views import counted

ALL = "all"  # exercises together
PARTICIPANT = re.compile(r"_(\d+)_assignsubmission_")
# what Moodle calls a column, in the languages we have seen
MOODLE = {
    "grade": ("grade", "bewertung"),
    "most": ("maximum grade", "bestwertung"),
    "comment": ("feedback comments", "feedback als kommentar"),
    "open": ("grade can be changed", "bewertung kann geändert werden"),
}
NO = ("no", "nein")
TITLE_AND_ID = re.compile(r"(.*?)\s*\((\d+)\)\s*", re.DOTALL)  # of an assignment in Canvas
READ_ONLY = "read only"
TO_MATCH = "If they are there under other names, grade once more with the class list: --roster FILE.csv."
OWN = (  # the columns in front that say who it is
    *("student", "lastname", "firstname", "id", "sis user id", "sis login id", "integration id", "root account"),
    "section",
)


class BadSheet(Exception):
    """The file cannot be filled; the message says why and what to do."""


@dataclasses.dataclass(frozen=True)
class Standing:
    """A student with all records as the rules have them. `page` is the student's page, if it was written."""

    student: str
    records: Sequence[Record]
    person: Person | None = None
    keys: frozenset[str] = frozenset()  # what Moodle's numbers and Canvas's ids in the names of files say
    page: Path | None = None

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


@dataclasses.dataclass
class Filled:
    """A file that was filled: its text, who is in it by row, and sentences about who is not."""

    text: str
    rows: list[tuple[Person, Standing]]
    remarks: list[str]


# --- the sheets that instructors download --------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Sheet:
    """A table as it was downloaded. `columns` says where what identifies a person is."""

    path: Path
    marked: bool  # it begins with a byte order mark
    headings: list[str]
    columns: dict[str, int]
    rows: list[tuple[int, list[str]]]

    def text(self, headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
        """A table of the same kind. Both systems read commas."""
        made = io.StringIO()
        writer = csv.writer(made, lineterminator="\r\n")
        writer.writerow(headings)
        writer.writerows(rows)
        return "\ufeff" * self.marked + made.getvalue()


def sheet(path: Path) -> Sheet:
    """Read a table. BadSheet if it is none, or if nothing in it identifies a person."""
    content = content_of(path, LARGEST, BadSheet, "a sheet of marks")
    try:
        text = decoded(content, path)
        found = []
        for separator in SEPARATORS:
            rows = [each for each in numbered_rows(text, separator) if any(cell.strip() for cell in each[1])]
            if rows and (columns := columns_of(rows[0][1], rows[0][0], path) or numbers_in(rows[0][1])):
                found.append((len(columns), rows, columns))
    except csv.Error as error:
        raise BadSheet(f"{path} cannot be read as CSV: {error}; download it again.") from None
    except BadRoster as error:
        raise BadSheet(str(error)) from None
    if not found:
        raise BadSheet(f"{path}: no column in its first line says who a row is about; download it again, in English.")
    _, rows, columns = max(found, key=lambda each: each[0])
    return Sheet(path, content.startswith(b"\xef\xbb\xbf"), rows[0][1], columns, rows[1:])


def numbers_in(headings: Sequence[str]) -> dict[str, int]:
    """Where Moodle's numbers are, in a sheet without names."""
    found = [at for at, each in enumerate(headings) if folded(each) in COLUMNS["participant"]]
    return {"participant": found[0]} if found else {}


def whose(person: Person, standings: Sequence[Standing]) -> list[Standing]:
    """Whom a row is about: what a system gave comes before a name."""
    keys = {f"Moodle {person.participant}"} if person.participant else set()
    keys |= {f"Canvas {person.id}"} if person.id else set()
    by_key = [each for each in standings if not keys.isdisjoint(each.keys)]
    given = person.given()
    by_id = [each for each in standings if each.person and not given.isdisjoint(each.person.given())]
    names = {folded(person.name)} | {folded(f"{first} {last}") for last, first in person.halves() if person.last_first}
    by_name = [
        each
        for each in standings
        if not (names - {""}).isdisjoint({folded(each.student), folded(each.person.name) if each.person else ""})
        or folded(each.student) in given
    ]
    return by_key or by_id or by_name


def matched(found: Sheet, standings: Sequence[Standing]) -> Iterator[tuple[list[str], Person | None, list[Standing]]]:
    """Each row with the person it is about, None for rows that are about nobody, and whom of the grades that means."""
    for line, row in found.rows:
        row = row + [""] * (len(found.headings) - len(row))
        try:
            both = person_in(line, row, found.columns, found.path)
            person = both[1] if both else None
        except BadRoster:  # a row without a name: of somebody who is marked blindly
            number_there = (
                re.sub(r"\D", "", row[found.columns["participant"]]) if "participant" in found.columns else ""
            )
            person = Person(participant=number_there) if number_there else None
        yield row, person, whose(person, standings) if person else []


def filled(
    found: Sheet, standings: Sequence[Standing], fill: Any, headings: Sequence[str], keep: Sequence[int]
) -> Filled:
    """The sheet with every row filled by `fill(row, standing)`, and only the columns to keep."""
    rows, people, remarks, met, doubted = [], [], [], set(), False
    for row, person, meant in matched(found, standings):
        doubted = doubted or len(meant) > 1
        if person and len(meant) == 1:
            people.append((person, meant[0]))
            met.add(meant[0].student)
            fill(row, meant[0])
        elif person:
            who = person.name or person.id or f"Participant {person.participant}"
            both = " or ".join(each.student for each in meant[:3])
            why = (
                f"may be {both}, so nothing was entered; name them apart with --roster"
                if meant
                else "has no grade here"
            )
            remarks.append(f"{who} {why}.")
        rows.append([row[at] for at in keep])
    absent = [each.student for each in standings if each.student not in met]
    if absent:
        remarks.append(f"Graded, but not in {found.path}: {listed(absent)}. {TO_MATCH}")
        if not met and not doubted:
            raise BadSheet(f"Nothing was written. {remarks[-1]}")
    return Filled(found.text(headings, rows), people, remarks)


def moodle(path: Path, standings: Sequence[Standing], exercise: str) -> Filled:
    """Fill Moodle's grading worksheet: the grade out of the maximum there, and what is said about it as a comment.

    From Moodle's importer, `mod/assign/feedback/offline/importgradeslib.php`: it finds rows by Identifier, and needs
    Grade and Last modified (grade) as they were. We found no page of its documentation that says so.
    """
    found = sheet(path)
    at = {
        what: next((count for count, each in enumerate(found.headings) if folded(each) in names), -1)
        for what, names in MOODLE.items()
    }
    if at["grade"] < 0 or "participant" not in found.columns:
        raise BadSheet(
            f"{path} has no columns Identifier and Grade, so it is not Moodle's grading worksheet; choose «Download "
            "grading worksheet» in the assignment, with the site in English."
        )

    def fill(row: list[str], standing: Standing) -> None:
        share = standing.share(exercise)
        if share is None or (at["open"] >= 0 and folded(row[at["open"]]) in NO):
            return
        most = amount(row[at["most"]]) if at["most"] >= 0 else None
        row[at["grade"]] = number(share * (100 if most is None else most))
        if at["comment"] >= 0 and (said := standing.said(exercise)):
            row[at["comment"]] = html.escape(said)

    return filled(found, standings, fill, found.headings, range(len(found.headings)))


def canvas(path: Path, standings: Sequence[Standing], exercise: str, column: str = "") -> Filled:
    """Fill a column of Canvas's gradebook; only that one and those that identify students are written.

    From Canvas's importer, `lib/gradebook_importer.rb`: Student, ID, …, Section come first, an assignment is
    `TITLE (ID)`, a row Points Possible is out of how much. Its guide «How do I import grades in the Gradebook?» lets
    you leave columns out.
    """
    found = sheet(path)
    own = [count for count, each in enumerate(found.headings) if folded(each) in OWN]
    if not own or "section" not in map(folded, found.headings):
        raise BadSheet(f"{path} has no columns Student, ID and Section; export the gradebook from Canvas again.")
    at = column_of(found, own, exercise, column)
    first = folded(found.headings[0])
    most = next(
        (amount(row[at]) for _, row in found.rows if "points possible" in folded(row[0]) and at < len(row)), None
    )
    if first != "student" and first != "lastname":
        raise BadSheet(f"{path} does not begin with the column Student; export the gradebook from Canvas again.")
    if most is None:
        raise BadSheet(f"{path} does not say how many points {found.headings[at]} has; export the gradebook again.")

    def fill(row: list[str], standing: Standing) -> None:
        share = standing.share(exercise)
        if share is not None and folded(row[at]) != "ex":
            row[at] = number(share * most)

    keep = [*own, at]
    return filled(found, standings, fill, [found.headings[each] for each in keep], keep)


def column_of(found: Sheet, own: Sequence[int], exercise: str, column: str) -> int:
    """The column of an assignment: the one that is named, or the one that is called like the exercise."""
    titles = {count: TITLE_AND_ID.fullmatch(each) for count, each in enumerate(found.headings) if count not in own}
    open_ones = {
        count: title
        for count, title in titles.items()
        if title and not any(READ_ONLY in cell for _, row in found.rows[:2] for cell in row[count : count + 1])
    }
    wanted = folded(column or exercise)
    fits = [
        count
        for count, title in open_ones.items()
        if wanted in (folded(found.headings[count]), folded(title[1]), title[2])
    ]
    if len(fits) == 1:
        return fits[0]
    names = ", ".join(repr(found.headings[count]) for count in open_ones) or "none"
    what = f"no assignment is called {column or exercise}" if not fits else f"several are called {column or exercise}"
    raise BadSheet(f"{found.path}: {what}; name one with --column. There are: {names}.")


def amount(text: str) -> float | None:
    """The number in a cell, with a point or a comma; None if there is none."""
    try:
        return float(text.strip().replace(",", "."))
    except ValueError:
        return None


# --- pages to give back --------------------------------------------------------------------------


def moodle_pages(rows: Iterable[tuple[Person, Standing]], exercise: str) -> dict[str, Path]:
    """Each page by its name in the zip for «Upload multiple feedback files in a zip».

    From Moodle's importer, `mod/assign/feedback/file/importziplib.php`: a folder NAME_NUMBER_assignsubmission_file,
    whose name has no other underscore, and the number is the worksheet's.
    """
    found = {}
    for person, standing in rows:
        if person.participant and standing.page and standing.of(exercise):
            name = re.sub(r"[_/\\]+", " ", person.name or "Participant")
            found[f"{name}_{person.participant}_assignsubmission_file/{exercise}.html"] = standing.page
    return found


def canvas_pages(standings: Iterable[Standing], exercise: str) -> dict[str, Path]:
    """Each page by its name in the zip for «Upload Submissions»: as the file was called when it was downloaded.

    From Canvas's `infer_comment_context_from_filename`: between underscores, the first two numbers are the user's and
    the attachment's.
    """
    found = {}
    for standing in standings:
        for record in standing.of(exercise):
            name = PurePosixPath(record.place).name
            if standing.page and CANVAS.fullmatch(PurePosixPath(name).stem):
                found[f"{PurePosixPath(name).stem}.html"] = standing.page
    return found


def zipped(pages: Mapping[str, Path]) -> bytes:
    """A zip of pages; the same pages give the same bytes."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, page in sorted(pages.items()):
            archive.writestr(zipfile.ZipInfo(name), page.read_bytes(), zipfile.ZIP_DEFLATED)
    return file.getvalue()


# --- results for programs ------------------------------------------------------------------------


def gradescope(records: Sequence[Record]) -> str:
    """`results.json` of a submission: the total, and each part.

    From https://gradescope-autograders.readthedocs.io/en/latest/specs/, «Output format»: the total is there because it
    comes before the sum of the tests, which knows nothing of penalties.
    """
    tests = [
        {
            "name": f"{record.exercise}: {part.part}",
            "score": round(record.weight * part.points, 2),
            "max_score": round(record.weight * part.possible, 2),
            "status": "passed" if part.passed else "failed",
            "output": " ".join(filter(None, (record.first(part) or part.what, part.by_hand))),
            "visibility": "visible",
        }
        for record in records
        for part in record.parts
    ]
    data = {
        "score": round(sum(each.weight * each.points for each in records), 2),
        "output": " ".join(sentence for each in records for sentence in (*each.notices, *each.said)),
        "tests": tests,
    }
    return json.dumps(data, indent=2) + "\n"
