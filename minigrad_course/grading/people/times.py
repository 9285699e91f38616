"""Times as systems and instructors write them, and those of a class."""

from __future__ import annotations

import dataclasses
import re
import zoneinfo
from collections import Counter
from datetime import UTC, datetime, tzinfo

from minigrad_course.grading.people.names import OWN, ZIPPED, When

MONTHS = "january february march april may june july august september october november december"


@dataclasses.dataclass
class Times:
    """When the files of a class were handed in: rows of student, exercise and time."""

    rows: list[tuple[str, str, When]] = dataclasses.field(default_factory=list)

    @property
    def sources(self) -> Counter[str]:
        """Who says when, and for how many files."""
        return Counter(when.who for _, _, when in self.rows)

    @property
    def own(self) -> bool:
        """True if some times are the files' own."""
        return not {OWN, ZIPPED}.isdisjoint(self.sources)


def from_words(day: str, month: str, year: str, hour: str, minute: str, half: str = "") -> datetime | None:
    """A time in English words; `half` is AM or PM where there are two. None if there is no such time."""
    named = [at for at, item in enumerate(MONTHS.split(), start=1) if month.casefold() in (item, item[:3])]
    try:
        twelve = int(hour) % 12 + 12 * (half[:1].upper() == "P") if half else int(hour)
        return datetime(int(year), named[0], int(day), twelve, int(minute)) if named else None
    except ValueError:
        return None


def from_iso(text: str) -> datetime | None:
    """A time in the form of ISO 8601; None if it is none."""
    try:
        return datetime.fromisoformat(re.sub(r"\s+(?=Z$|[+-]\d)", "", text.strip()))
    except ValueError:
        return None


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
