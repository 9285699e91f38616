"""When work was handed in, as far as anything says so, and who says it."""

from __future__ import annotations

import dataclasses
import re
import zoneinfo
from collections import Counter
from datetime import UTC, datetime, tzinfo
from typing import Any

MONTHS = "january february march april may june july august september october november december"
EARLIEST = 1990  # a zip without times has 1980


@dataclasses.dataclass(frozen=True)
class When:
    """When something was handed in.

    `at` is the time, None where it is not known; without a zone it is the course's. `late` is a system's own mark, None
    where it has none. `source` says who says so.
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

    @property
    def what(self) -> str:
        """The time in a few words, or what is known instead of it."""
        if self.at:
            return shown(self.at)
        return "time not known" if self.late is None else "late" if self.late else "not late"

    @property
    def who(self) -> str:
        """Who says so."""
        return self.source or "nobody"

    @property
    def sentence(self) -> str:
        """The time and who says so."""
        if self.at:
            return f"Handed in {self.what}, by {self.source}."
        if self.late is None:
            return (
                f"{self.source} has no time that can be read." if self.source else "Nothing says when it was handed in."
            )
        return f"{'Handed' if self.late else 'Not handed'} in late, by {self.source}, which has no time."


UNKNOWN = When()
OWN, ZIPPED = "the file's own time", "the time in the zip"  # what is left where no system says anything


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


def shown(at: datetime) -> str:
    """A time as people read it."""
    return f"{at:%Y-%m-%d %H:%M}{f' {at:%Z}' if at.tzinfo else ''}"


def from_seconds(seconds: float) -> datetime | None:
    """A file's time; None where the system has none that makes sense."""
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError, ValueError):
        return None


def from_zip(date_time: tuple[int, ...]) -> datetime | None:
    """A zip's time, which has no zone; None where it has none."""
    try:
        result = datetime(*date_time[:6])  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    return result if result.year >= EARLIEST else None


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
