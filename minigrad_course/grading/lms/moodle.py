"""Moodle: `NAME_NUMBER_assignsubmission_file/`, the grading worksheet, and feedback files."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import ClassVar

from minigrad_course.grading.lms.entry import Entry
from minigrad_course.grading.lms.protocol import System
from minigrad_course.grading.lms.sheets import BadSheet, Filled, Sheet, amount, decimal
from minigrad_course.grading.people.names import GROUPS, PIECES, Said, When, folded, impersonal
from minigrad_course.grading.people.people import Person
from minigrad_course.grading.people.times import from_words
from minigrad_course.grading.records.standings import Standing

FOLDER = re.compile(r"(.+)_(\d+)_assignsubmission_(?:file|onlinetext)_?", re.DOTALL)  # the end is the system's
FLAT = re.compile(r"(.+?)_(\d+)_assignsubmission_(?:file|onlinetext)(?:_.*)?", re.DOTALL)
MARK = re.compile(r"_\d+_assignsubmission_(?:file|onlinetext)(?=_|\Z)")
PARTICIPANT = re.compile(r"_(\d+)_assignsubmission_")
TIME = re.compile(r"(\d{1,2}) ([A-Za-z]+) (\d{4}), (\d{1,2}):(\d\d)(?: ?([AP])M)?", re.IGNORECASE)
# what a column is called, in the languages we have seen
COLUMNS = {
    "grade": ("grade", "bewertung"),
    "most": ("maximum grade", "bestwertung"),
    "comment": ("feedback comments", "feedback als kommentar"),
    "open": ("grade can be changed", "bewertung kann geändert werden"),
    "modified": ("last modified grade", "zuletzt geändert bewertung"),
}
NO = ("no", "nein")
NUMBERED = re.compile(r"\s*([^\W\d_][^\d]*?)\s*(\d+)\s*")  # Participant 8101, Teilnehmer/in8101
NUMBER = re.compile(r"\s*\d+(?:[.,]\d+)?\s*")
OVERWRITE = "when you upload, tick that records which are newer in Moodle may be updated"


class Moodle(System):
    """Moodle.

    Names from `mod/assign/locallib.php`, `download_submissions`. The worksheet from
    `mod/assign/feedback/offline/importgradeslib.php` and `locallib.php` there: it finds rows by Identifier, needs
    Grade and Last modified (grade), reads numbers as the site's language writes them, and, without a word, passes over
    rows whose cell is empty, whose grade is locked, or has changed in Moodle more than 60 seconds after Last modified
    (grade). Feedback from `mod/assign/feedback/file/importziplib.php`: a folder NAME_NUMBER_assignsubmission_file whose
    name has no other underscore, and the number is the worksheet's.
    """

    name = "Moodle"
    mark = MARK
    headings: ClassVar = {
        "name": ("vollständiger name",),
        "email": ("e mail adresse",),
        "login": ("anmeldename",),
        "id": ("id nummer",),
        "participant": ("identifier", "participant"),
        "handed_in": ("last modified submission",),
    }
    numbered = True
    grouped = True
    sheet = "the assignment's grading worksheet"
    takes_pages = True

    # --- the work --------------------------------------------------------------------------------

    def said(self, entry: Entry) -> Said | None:
        """The name and the number. In a folder's name the end is Moodle's; in a file's both ends are the student's."""
        text = entry.text
        result = FOLDER.fullmatch(text) if entry.kind == "folder" else None
        if not result and self.is_ambiguous(text):
            return Said(text, "", self.name)
        if result := result or FLAT.fullmatch(text):
            (group, name), number = without_group(result[1]), result[2]
            blind = name.casefold() == "participant"  # marked without names
            return Said(f"{name} {number}" if blind else name, number, self.name, "" if blind else group)
        return None

    def is_ambiguous(self, text: str) -> bool:
        """True if its suffix occurs more than once."""
        return len(MARK.findall(text)) > 1

    def is_download(self, text: str) -> bool:
        """COURSE-ASSIGNMENT-NUMBER."""
        return re.fullmatch(r".+-.+-\d+", text, re.DOTALL) is not None

    # --- people ----------------------------------------------------------------------------------

    def columns(self, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> dict[str, int]:
        """The columns of a worksheet in any language: numbers behind one word, then names, and somewhere addresses.

        It is one only if a column of grades stands before one with the same maximum in each row.
        """
        cells = [[item.strip() for item in row] for row in rows]
        if not cells or any(len(row) < 4 for row in cells) or maximum(cells) is None:
            return {}
        words = {match[1] if (match := NUMBERED.fullmatch(row[0])) else "" for row in cells}
        if len(words) != 1 or "" in words:
            return {}
        found_at = {"participant": 0}
        if folded(headings[1]) != "status" and 2 * len({row[1] for row in cells}) > len(cells):
            found_at["name"] = 1
        columns = range(2, min(map(len, cells)))
        emails = [at for at in columns if all(re.fullmatch(r"\S+@\S+", row[at]) for row in cells)]
        return found_at | ({"email": emails[0]} if emails else {})

    def listed(self, person: Person, place: str) -> When | None:
        """The time in the worksheet of that assignment; it says nothing about another's."""
        if not person.participant or f"_{person.participant}_assignsubmission_" not in place:
            return None
        at = from_moodle(person.handed_in)
        return When(at, source="Moodle's worksheet") if at else None

    def numbers(self, place: str) -> list[str]:
        """The numbers in front of its suffix."""
        return PARTICIPANT.findall(place)

    # --- marks -----------------------------------------------------------------------------------

    def fill(self, found: Sheet, standings: Sequence[Standing], exercise: str, column: str) -> Filled:
        """The worksheet with the grade out of the maximum there, and what is said about it as a comment."""
        at = {
            what: next((count for count, item in enumerate(found.headings) if folded(item) in names), -1)
            for what, names in COLUMNS.items()
        }
        if at["grade"] < 0 and (most := maximum(found.rows)):
            at["grade"], at["most"] = most - 1, most
        if at["grade"] < 0 or "participant" not in found.columns:
            raise BadSheet(
                f"{found.path} has no columns Identifier and Grade, so it is not Moodle's grading worksheet; choose "
                "«Download grading worksheet» in the assignment, with the site in English."
            )

        if at["modified"] < 0 and folded(found.headings[at["grade"]]) == "grade":
            raise BadSheet(f"{found.path} has no column Last modified (grade), which Moodle needs; download it again.")

        def fill(row: list[str], standing: Standing) -> str:
            share = standing.share(exercise)
            if share is None:
                return ""
            if at["open"] >= 0 and folded(row[at["open"]]) in NO:
                return "Moodle says that the grade cannot be changed, and would skip it, so it was left as it is"
            most = amount(row[at["most"]]) if at["most"] >= 0 else None
            before, changed = amount(row[at["grade"]]), row[at["modified"]] if at["modified"] >= 0 else ""
            row[at["grade"]] = decimal(share * (100 if most is None else most))
            if at["comment"] >= 0 and (said := standing.said(exercise)):
                row[at["comment"]] = html.escape(said)
            if before is None or before == amount(row[at["grade"]]) or from_moodle(changed):
                return ""
            return (
                "there is a grade already, and Moodle, which cannot read when it was given "
                f"({changed.strip() or 'nothing'}), will skip the new one without a word; {OVERWRITE}"
            )

        made = found.filled(standings, fill, comma=at["grade"])
        if any(amount(row[at["grade"]]) is not None for row in found.rows if at["grade"] < len(row)):
            made.remarks.append(
                "Moodle also skips, without a word, every grade that was changed there after this worksheet was "
                f"downloaded: upload it soon, or {OVERWRITE}."
            )
        return made

    def pages(self, filled: Filled, standings: Sequence[Standing], exercise: str) -> dict[str, Path]:
        """For «Upload multiple feedback files in a zip»."""
        results = {}
        for person, standing in filled.rows:
            if person.participant and standing.page and standing.of(exercise):
                name = re.sub(r"[_/\\]+", " ", person.name or "Participant")
                results[f"{name}_{person.participant}_assignsubmission_file/{exercise}.html"] = standing.page
        return results


def without_group(text: str) -> tuple[str, str]:
    """The group that Moodle put in front of a name, with a hyphen, and the name; "" where nothing is a group's."""
    cuts = [(text[: found.start()], text[found.end() :]) for found in re.finditer("-", text)]
    cuts = [(group, name) for group, name in cuts if group.strip() and name.strip()]
    blind = [cut for cut in cuts if cut[1].casefold() == "participant"]
    whole = [cut for cut in cuts if impersonal(cut[0]) or cut[0].strip().isdecimal()]
    some = [cut for cut in cuts if set(PIECES.findall(cut[0].casefold())) & set(GROUPS.split())]
    # the name may have a hyphen, too: what is a group's as a whole is so as far as it goes
    return (blind or whole[-1:] or some or [("", text)])[0]


def maximum(rows: Sequence[Sequence[str]]) -> int | None:
    """The column with one maximum for everybody, behind one of grades, which may be empty; None if there is none."""
    for at in range(2, min(map(len, rows), default=0)):
        same = {row[at].strip() for row in rows}
        before = [row[at - 1].strip() for row in rows]
        grades = all(not item or item == "-" or NUMBER.fullmatch(item) for item in before)
        if len(same) == 1 and NUMBER.fullmatch(same.pop()) and grades:
            return at
    return None


def from_moodle(text: str) -> datetime | None:
    """The time in a worksheet, such as `Monday, 2 November 2026, 3:58 PM`; None for "-" and other languages."""
    match = TIME.search(text)
    return from_words(*match.groups(default="")) if match else None
