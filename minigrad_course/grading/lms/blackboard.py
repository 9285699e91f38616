"""Blackboard: `Exercise 1_mokafor_attempt_2026-11-27-21-05-11_NAME.ipynb`, and the grade upload."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import ClassVar

from minigrad_course.grading.lms.entry import Entry
from minigrad_course.grading.lms.protocol import System
from minigrad_course.grading.lms.sheets import BadSheet, Filled, Sheet, amount, decimal
from minigrad_course.grading.people.names import Said, When, folded
from minigrad_course.grading.records.standings import Standing
from minigrad_course.texts.submitted import Unreadable

# the first one is the system's: behind it is what the student called the file
ATTEMPT = re.compile(r"(.+?)_attempt_(\d{4}(?:-\d\d){5})(?:_(.*))?", re.DOTALL)
WHO = re.compile(r"^[^\n:]+: *(.+?) *\(([^()\n]+)\)\s*$", re.MULTILINE)  # Name: Mira Okafor (mokafor)
POINTS = re.compile(r"(.+?)\s*\[[^\[\]]*?([\d.,]+)[^\[\]]*\]\s*\|\s*(\d+)\s*", re.DOTALL)
OWN = ("last name", "first name", "username", "student id")


class Blackboard(System):
    """Blackboard Learn.

    Names from its page «Download assignments»: ASSIGNMENT_USERNAME_attempt_TIME_FILE, and a text without FILE for each
    attempt, which begins with `Name: NAME (USERNAME)`. Marks from «Upload or download grades to work offline»: students
    are found by Username and columns by the number behind the bar in `TITLE [Total Pts: 10 Score] |123`; a column
    without one would become a new one. It is written as it was: with commas, or with tabs in UTF-16.
    """

    name = "Blackboard"
    mark = re.compile(r"_attempt_\d{4}")
    lasting = True
    headings: ClassVar = {"login": ("username",), "id": ("student id",)}
    sheet = "the downloaded grade center or gradebook, with full columns"

    def said(self, entry: Entry) -> Said | None:
        """The name in the attempt's text, or else the username; the username as the id; and the time."""
        result = ATTEMPT.fullmatch(entry.text) if entry.kind != "folder" else None
        title, _, login = result[1].rpartition("_") if result else ("", "", "")
        if not result or not title or not login:
            return None
        try:
            at = datetime.strptime(result[2], "%Y-%m-%d-%H-%M-%S")
        except ValueError:
            return None
        name, login = attempt_text(entry, result) or (login, login)
        return Said(name, login, self.name, when=When(at, source=self.name))

    def is_its_own(self, entry: Entry) -> bool:
        """The text about an attempt."""
        result = ATTEMPT.fullmatch(entry.text) if entry.name.endswith(".txt") else None
        return result is not None and result[3] is None

    def fill(self, found: Sheet, standings: Sequence[Standing], exercise: str, column: str) -> Filled:
        """A column of the downloaded grades; only that one and those that identify students are written."""
        own = [count for count, item in enumerate(found.headings) if folded(item) in OWN]
        if "username" not in map(folded, found.headings):
            raise BadSheet(f"{found.path} has no column Username; download the grades from Blackboard again.")
        titles = {
            count: (item, folded(title[1]), title[3])
            for count, item in enumerate(found.headings)
            if (title := POINTS.fullmatch(item))
        }
        at = found.column_named(titles, set(), exercise, column)
        title = POINTS.fullmatch(found.headings[at])
        most = amount(title[2]) if title else None
        if not most:
            raise BadSheet(f"{found.headings[at]} in {found.path} is out of 0 points: give it some in Blackboard.")

        def fill(row: list[str], standing: Standing) -> str:
            share = standing.share(exercise)
            row[at] = decimal(share * most) if share is not None else row[at]
            return ""

        return found.filled(standings, fill, keep=[*own, at], needed=at)


def attempt_text(entry: Entry, found: re.Match[str]) -> tuple[str, str] | None:
    """The name and the username in the text of an attempt, if it lies beside and its own name ends with that."""
    if not entry.parent:
        return None
    wanted = f"{found[1]}_attempt_{found[2]}.txt"
    texts = entry.parent.looked_into.setdefault("attempts", {})
    if not texts:
        texts |= {child.name: child for child in entry.parent.children if child.name.endswith(".txt")}
    if wanted not in texts:
        return None
    try:
        who = WHO.search(texts[wanted].read()[:2000].decode("utf-8", "replace"))
    except Unreadable:
        return None
    return (who[1], who[2]) if who and found[1].endswith(f"_{who[2]}") else None
