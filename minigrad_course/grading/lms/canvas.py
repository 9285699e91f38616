"""Canvas: files `lovelaceada_LATE_123_456_NAME-1.ipynb`, and the gradebook."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import ClassVar

from minigrad_course.grading.lms.entry import Entry
from minigrad_course.grading.lms.protocol import System
from minigrad_course.grading.lms.sheets import BadSheet, Filled, Sheet, amount, decimal
from minigrad_course.grading.people.names import Said, When, folded
from minigrad_course.grading.records.standings import Standing

NAME = re.compile(r"([^_]+)(_late)?_(\d+)_\d+_.+", re.DOTALL | re.IGNORECASE)
TITLE_AND_ID = re.compile(r"(.*?)\s*\((\d+)\)\s*", re.DOTALL)  # of an assignment
READ_ONLY = "read only"
POSSIBLE = "points possible"
OWN = (  # the columns in front that say who it is
    *("student", "lastname", "firstname", "id", "sis user id", "sis login id", "integration id", "root account"),
    "section",
)
NOT_PEOPLE = ("points possible", "student test")  # rows of its gradebook


class Canvas(System):
    """Canvas.

    Names from its `Submission#infer…` and `infer_comment_context_from_filename`: between underscores the student, LATE
    where it was, the user's id, the attachment's, and what the student called it. Marks from
    `lib/gradebook_importer.rb`: Student, ID, …, Section come first, an assignment is `TITLE (ID)`, a row Points
    Possible is out of how much, and a column with «read only» there is passed over. An empty cell takes away the grade
    that Canvas has, so rows without a mark are left out; rows that are not in the file stay as they are. The guide «How
    do I import grades in the Gradebook?» lets you leave columns out.
    """

    name = "Canvas"
    mark = re.compile(r"_\d+_\d+_")
    lasting = True
    squeezed = True
    headings: ClassVar = {"sis": ("sis user id",), "login": ("sis login id", "login id")}
    sheet = "the exported gradebook"
    takes_pages = True

    def said(self, entry: Entry) -> Said | None:
        """The student and the id in front of a file's name."""
        result = NAME.fullmatch(entry.text) if entry.kind != "folder" else None
        if not result:
            return None
        return Said(
            result[1], result[3], self.name, when=When(late=bool(result[2]), source="Canvas's mark in the name")
        )

    def cells(self, cells: dict[str, str]) -> dict[str, str] | None:
        """Without the gradebook's rows of points, and of a student who is there for trying things out."""
        name = cells.get("name", "")
        by_canvas = "sis" in cells or ("login" in cells and "," in name)
        return None if folded(name) in NOT_PEOPLE or (by_canvas and not name and not cells.get("id")) else cells

    def fill(self, found: Sheet, standings: Sequence[Standing], exercise: str, column: str) -> Filled:
        """A column of the gradebook; only that one and those that identify students are written."""
        own = [count for count, item in enumerate(found.headings) if folded(item) in OWN]
        if not own or "section" not in map(folded, found.headings):
            raise BadSheet(
                f"{found.path} has no columns Student, ID and Section; export the gradebook from Canvas again."
            )
        if folded(found.headings[0]) not in ("student", "lastname"):
            raise BadSheet(f"{found.path} does not begin with the column Student; export the gradebook again.")
        at = self.column_of(found, own, exercise, column)
        row = points_possible(found)
        most = amount(row[at]) if row and at < len(row) else None
        if most is None:
            raise BadSheet(
                f"{found.path} does not say how many points {found.headings[at]} has; export the gradebook again."
            )

        def fill(row: list[str], standing: Standing) -> str:
            share = standing.share(exercise)
            if share is not None and folded(row[at]) == "ex":
                return "excused in Canvas, so left as it was"
            row[at] = decimal(share * most) if share is not None else row[at]
            return ""

        return found.filled(standings, fill, keep=[*own, at], needed=at)

    def column_of(self, found: Sheet, own: Sequence[int], exercise: str, column: str) -> int:
        """The column of an assignment: the one that is named, or the one that is called like the exercise."""
        possible = points_possible(found) or []
        closed = {count for count, cell in enumerate(possible) if READ_ONLY in folded(cell)}
        titles = {
            count: (item, folded(title[1]), title[2])
            for count, item in enumerate(found.headings)
            if count not in own and (title := TITLE_AND_ID.fullmatch(item))
        }
        return found.column_named(titles, closed, exercise, column)

    def pages(self, filled: Filled, standings: Sequence[Standing], exercise: str) -> dict[str, Path]:
        """For «Upload Submissions»: as the file was called when it was downloaded."""
        results = {}
        for standing in standings:
            for record in standing.of(exercise):
                name = PurePosixPath(record.place).name
                if standing.page and NAME.fullmatch(PurePosixPath(name).stem):
                    results[f"{PurePosixPath(name).stem}.html"] = standing.page
        return results


def points_possible(found: Sheet) -> list[str] | None:
    """The row that says out of how much each column is."""
    return next((row for row in found.rows if row and POSSIBLE in folded(row[0])), None)
