"""A table that an instructor downloaded from a system, and what is common to filling it with marks.

Rows are filled, never made up. Numbers have a point, whatever the language, and where an empty cell would take a grade
away the row is left out.
"""

from __future__ import annotations

import csv
import dataclasses
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from minigrad_course.grading.people.names import folded, listed
from minigrad_course.grading.people.people import Person
from minigrad_course.grading.records.record import number
from minigrad_course.grading.records.standings import Standing

TO_MATCH = "If they are there under other names, grade once more with the class list: --roster FILE.csv."
MOST_NAMED = 30  # of those in a remark whose mark will not arrive


class BadSheet(Exception):
    """The file cannot be filled; the message says why and what to do."""


@dataclasses.dataclass
class Filled:
    """A file that was filled: its text, who is in it by row, and sentences about who is not."""

    text: str
    encoding: str
    rows: list[tuple[Person, Standing]]
    remarks: list[str]


@dataclasses.dataclass(frozen=True)
class Sheet:
    """A table as it was downloaded. `people` are whom its rows are about, None for rows that are about nobody."""

    path: Path
    system: str  # that it is from
    encoding: str
    separator: str
    headings: list[str]
    columns: dict[str, int]  # where what identifies a person is
    rows: list[list[str]]
    people: list[Person | None]

    def text(self, headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
        """A table of the same kind, with commas or tabs: a semicolon is what a spreadsheet has made of commas."""
        made = io.StringIO()
        writer = csv.writer(made, delimiter="\t" if self.separator == "\t" else ",", lineterminator="\r\n")
        writer.writerow(headings)
        writer.writerows(rows)
        return made.getvalue()

    def matched(self, standings: Sequence[Standing]) -> Iterator[tuple[list[str], Person | None, list[Standing]]]:
        """A copy of each row, the person it is about, and whom of the grades that means."""
        for row, person in zip(self.rows, self.people, strict=True):
            yield [*row], person, whose(person, standings, self.system) if person else []

    def column_named(
        self, titles: Mapping[int, tuple[str, str, str]], closed: set[int], exercise: str, column: str
    ) -> int:
        """The column that is named, or that is called like the exercise: `titles` are each heading, title and number.

        `closed` are those that the system does not read. BadSheet if there is no such column, or several.
        """
        wanted = folded(column or exercise)
        fits = [
            count
            for count, (heading, title, number) in titles.items()
            if wanted in (folded(heading), title) or (number and (column or exercise).strip() == number)
        ]
        if len(fits) == 1 and fits[0] in closed:
            raise BadSheet(f"{self.path}: {self.headings[fits[0]]} is read only: {self.system} would pass it over.")
        if len(fits) == 1:
            return fits[0]
        names = ", ".join(repr(self.headings[count]) for count in titles if count not in closed) or "none"
        what = f"{'several are' if fits else 'no assignment is'} called {column or exercise}"
        raise BadSheet(f"{self.path}: {what}; name one with --column. There are: {names}.")

    def filled(
        self,
        standings: Sequence[Standing],
        fill: Callable[[list[str], Standing], str],
        *,
        keep: Sequence[int] | None = None,
        needed: int | None = None,
        comma: int | None = None,
        end: str = "",
    ) -> Filled:
        """This sheet with every row filled by `fill(row, standing)`, which says why the system will not take it, or "".

        `keep` are the columns to write, in order. Rows are left out in which the cell `needed` is empty. In the column
        `comma` numbers that were there already get a point. `end` is the sign in a last column for the end of the line.
        """
        rows, people, remarks, met, doubted = [], [], [], set(), False
        refused: dict[str, list[str]] = {}
        keep = range(len(self.headings)) if keep is None else keep
        for row, person, meant in self.matched(standings):
            doubted = doubted or len(meant) > 1
            if comma is not None and "," in row[comma] and (before := amount(row[comma])) is not None:
                row[comma] = decimal(before)
            if person and len(meant) == 1:
                people.append((person, meant[0]))
                met.add(meant[0].student)
                if why := fill(row, meant[0]):
                    refused.setdefault(why, []).append(meant[0].student)
            elif person:
                number = person.participant and f"Participant {person.participant}"
                who = person.name or person.id or number or "".join(person.known_as[:1]) or person.email
                both = " or ".join(item.student for item in meant[:3])
                why = (
                    f"may be {both}, so nothing was entered; name them apart with --roster"
                    if meant
                    else "has no grade here"
                )
                remarks.append(f"{who} {why}.")
            if needed is None or row[needed].strip():
                rows.append([row[at] for at in keep] + [end] * bool(end))
        remarks += [f"{listed(students, MOST_NAMED)}: {why}." for why, students in refused.items()]
        absent = [standing.student for standing in standings if standing.student not in met]
        if absent:
            remarks.append(f"Graded, but not in {self.path}: {listed(absent)}. {TO_MATCH}")
            if not met and not doubted:
                raise BadSheet(f"Nothing was written. {remarks[-1]}")
        headings = [self.headings[at] for at in keep] + ["End-of-Line Indicator"] * bool(end)
        return Filled(self.text(headings, rows), self.encoding, people, remarks)


def whose(person: Person, standings: Sequence[Standing], system: str) -> list[Standing]:
    """Whom a row of a system's is about: what that gave comes before a name."""
    given = person.given()
    keys = {f"{system} {text}" for text in (person.id, *person.known_as) if text}
    keys |= {f"{system} {person.participant}"} if person.participant else set()
    by_key = [standing for standing in standings if not keys.isdisjoint(standing.keys)]
    by_id = [standing for standing in standings if standing.person and not given.isdisjoint(standing.person.given())]
    names = {folded(person.name)} | {folded(f"{first} {last}") for last, first in person.halves() if person.last_first}
    by_name = [
        standing
        for standing in standings
        if not (names - {""}).isdisjoint(
            {folded(standing.student), folded(standing.person.name) if standing.person else ""}
        )
        or folded(standing.student) in given
    ]
    return by_key or by_id or by_name


def decimal(points: float) -> str:
    """Points as every system reads them: with a point, and without zeros behind it."""
    return number(points)


def amount(text: str) -> float | None:
    """The number in a cell, with a point or a comma; None if there is none."""
    try:
        return float(text.strip().replace(",", "."))
    except ValueError:
        return None
