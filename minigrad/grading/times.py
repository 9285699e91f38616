"""When work was handed in, as far as anything says so, and who says it."""

from __future__ import annotations

import dataclasses
import re
import zoneinfo
from collections.abc import Callable
from datetime import UTC, datetime, tzinfo
from typing import Any

from minigrad.course.submitted import Unreadable
from minigrad.grading.entries import Entry, ancestors

MONTHS = "january february march april may june july august september october november december"
MOODLE_TIME = re.compile(r"(\d{1,2}) ([A-Za-z]+) (\d{4}), (\d{1,2}):(\d\d)(?: ?([AP])M)?", re.IGNORECASE)
LATE = re.compile(r"[^_]+_late_\d", re.IGNORECASE)  # Canvas's mark, in front of its number
EARLIEST = 1990  # a zip without times has 1980


@dataclasses.dataclass(frozen=True)
class When:
    """When something was handed in.

    `at` is the time, None where it is not known; without a zone it is the course's. `late` is a system's own mark, None
    where it has none. `source` says where this is from.
    """

    at: datetime | None = None
    late: bool | None = None
    source: str = ""

    @classmethod
    def of(cls, data: dict[str, Any]) -> When:
        """The time that `data` gave."""
        at = data.get("at")
        return cls(datetime.fromisoformat(at) if at else None, data.get("late"), data.get("source", ""))

    def data(self) -> dict[str, Any]:
        """The time as plain data."""
        return {"at": self.at.isoformat() if self.at else None, "late": self.late, "source": self.source}


UNKNOWN = When()


def when_of(entry: Entry) -> When:
    """When something was handed in: what a system says of it comes before the file's own time.

    In a clone that has the time of the cloning, so nothing is known.
    """
    owners = [entry, *ancestors(entry)]
    for each in owners:
        if each.said.system == "Gradescope" and each.parent and each.name in each.parent.created:
            return When(from_gradescope(each.parent.created[each.name]), source="Gradescope's file")
        if each.timestamp:
            try:
                return When(from_nbgrader(each.timestamp), source="nbgrader's timestamp.txt")
            except Unreadable:
                return UNKNOWN
        if each.said.system == "Canvas":
            return When(late=LATE.match(each.text) is not None, source="Canvas's mark in the name")
        if each.said.system == "GitHub Classroom" or each.is_clone:
            return UNKNOWN
    found = entry.modified()
    return When(found, source="the file's own time" if found and found.tzinfo else "the time in the zip")


def from_seconds(seconds: float) -> datetime | None:
    """A file's time; None where the system has none that makes sense."""
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError, ValueError):
        return None


def from_zip(date_time: tuple[int, ...]) -> datetime | None:
    """A zip's time, which has no zone; None where it has none."""
    try:
        found = datetime(*date_time[:6])  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    return found if found.year >= EARLIEST else None


def from_nbgrader(read: Callable[[], bytes]) -> datetime | None:
    """The time in nbgrader's `timestamp.txt`, such as `2026-11-02 15:58:23.948203 UTC`."""
    words = read()[:200].decode("utf-8", "replace").split()
    try:
        return from_iso(" ".join(words[:2])).replace(tzinfo=zone_named(words[2])) if len(words) == 3 else None
    except (ValueError, LookupError):
        return None


def from_gradescope(text: str) -> datetime | None:
    """The time in Gradescope's file, such as `2026-11-02 12:00:00.000000000 Z`."""
    try:
        return from_iso(re.sub(r"\s+(?=Z$|[+-]\d)", "", text.strip()))
    except ValueError:
        return None


def from_moodle(text: str) -> datetime | None:
    """The time in Moodle's worksheet, such as `Monday, 2 November 2026, 3:58 PM`; None for "-" and other languages."""
    found = MOODLE_TIME.search(text)
    if not found or found[2].casefold() not in MONTHS.split():
        return None
    hour = int(found[4]) % 12 + 12 * (found[6].upper() == "P") if found[6] else int(found[4])
    try:
        return datetime(
            int(found[3]), MONTHS.split().index(found[2].casefold()) + 1, int(found[1]), hour, int(found[5])
        )
    except ValueError:
        return None


def from_iso(text: str) -> datetime:
    """A time in the form of ISO 8601; ValueError if it is none."""
    return datetime.fromisoformat(text)


def zone_named(name: str) -> tzinfo:
    """A time zone such as UTC or Europe/Berlin; LookupError or ValueError if there is none of that name."""
    if name == "UTC":
        return UTC
    if re.fullmatch(r"[+-]\d\d:?\d\d", name):
        return datetime.strptime(name, "%z").tzinfo or UTC
    try:
        return zoneinfo.ZoneInfo(name)
    except (OSError, ValueError) as error:  # of a name that is a folder's, or nobody's
        raise LookupError(name) from error
