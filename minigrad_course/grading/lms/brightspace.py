"""Brightspace: `145101-221904 - Mira Okafor - Nov 27, 2026 905 PM/`, and the grade import."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import ClassVar

from minigrad_course.grading.lms.entry import Entry
from minigrad_course.grading.lms.protocol import System
from minigrad_course.grading.lms.sheets import BadSheet, Filled, Sheet, amount, decimal
from minigrad_course.grading.people.names import Said, When, folded
from minigrad_course.grading.people.times import from_words
from minigrad_course.grading.records.standings import Standing

# the end of a folder's name is the system's; behind a file's is what the student called it
TIME = r"[^-]*?\d{4} \d{1,2}:?\d\d(?: ?[AP]M)?"
FOLDER = re.compile(rf"(\d+)-\d+ - (.+?) ?- ?((?!.* - .*\d{{4}} \d{{1,2}}:?\d\d){TIME})", re.DOTALL | re.IGNORECASE)
FILE = re.compile(rf"(\d+)-\d+ - (.+?) ?- ?({TIME}) - .+", re.DOTALL | re.IGNORECASE)
MONTH_FIRST = re.compile(r"([A-Za-z]+)\.? (\d{1,2}),? (\d{4}) (\d{1,2}):?(\d\d)(?: ?([AP])M)?", re.IGNORECASE)
DAY_FIRST = re.compile(r"(\d{1,2}) ([A-Za-z]+)\.?,? (\d{4}) (\d{1,2}):?(\d\d)(?: ?([AP])M)?", re.IGNORECASE)
POINTS = re.compile(r"(.+?) Points Grade(?: <.*?MaxPoints:([\d.,]+).*>)?\s*", re.DOTALL | re.IGNORECASE)
OWN = ("orgdefinedid", "org defined id", "username")
END = "end of line indicator"


class Brightspace(System):
    """Brightspace, by D2L.

    Names as programs for its downloads have them: the student's number in the system, the assignment's, the name, the
    time in the course's time zone. Each attempt is a folder of its own. Marks from D2L's page «Importing grades»:
    OrgDefinedId or Username, a column called like the grade item with «Points Grade» behind it, and a last column
    End-of-Line Indicator with #. Other columns are not to be in the file, and the exported ids begin with #.
    """

    name = "Brightspace"
    mark = re.compile(r"\d-\d+ - ")
    headings: ClassVar = {"id": ("orgdefinedid", "org defined id"), "login": ("username",)}
    sheet = "the exported grades, with the points of the grade item"

    def said(self, entry: Entry) -> Said | None:
        """The name, the number and the time; of a time in another language only that it is there."""
        result = FOLDER.fullmatch(entry.text) if entry.kind == "folder" else FILE.fullmatch(entry.text)
        if not result:
            return None
        return Said(result[2], result[1], self.name, when=When(from_brightspace(result[3]), source=self.name))

    def is_its_own(self, entry: Entry) -> bool:
        """The list that lies beside the folders."""
        beside = entry.parent.folders if entry.parent and entry.name == "index.html" else []
        return any(item.said.system == self.name for item in beside)

    def cells(self, cells: dict[str, str]) -> dict[str, str] | None:
        """Without the sign in front of exported ids."""
        return cells | {what: cells[what].removeprefix("#") for what in ("id", "login") if what in cells}

    def fill(self, found: Sheet, standings: Sequence[Standing], exercise: str, column: str) -> Filled:
        """The import file: who it is, one grade item, and the sign at the end."""
        own = [count for count, item in enumerate(found.headings) if folded(item) in OWN]
        if not own:
            raise BadSheet(f"{found.path} has no column OrgDefinedId or Username; export the grades with both of them.")
        titles = {
            count: (item, folded(title[1]), "")
            for count, item in enumerate(found.headings)
            if (title := POINTS.fullmatch(item))
        }
        at = found.column_named(titles, set(), exercise, column)
        title = POINTS.fullmatch(found.headings[at])
        most = amount(title[2] or "") if title else None
        if most is None:
            raise BadSheet(
                f"{found.path} does not say how many points {found.headings[at]} has; export them again, with points."
            )

        def fill(row: list[str], standing: Standing) -> str:
            share = standing.share(exercise)
            row[at] = decimal(share * most) if share is not None else row[at]
            return ""

        end = next((count for count, item in enumerate(found.headings) if folded(item) == END), None)
        keep = [*own, at] if end is None else [*own, at, end]
        return found.filled(standings, fill, keep=keep, needed=at, end="" if end is not None else "#")


def from_brightspace(text: str) -> datetime | None:
    """The time in a name, such as `Nov 27, 2026 905 PM` or `27 November, 2026 2105`; None in other languages."""
    if match := MONTH_FIRST.search(text):
        month, day, *rest = match.groups(default="")
        return from_words(day, month, *rest)
    match = DAY_FIRST.search(text)
    return from_words(*match.groups(default="")) if match else None
