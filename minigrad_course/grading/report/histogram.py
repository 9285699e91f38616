"""The distribution of points in a class, for its page."""

from __future__ import annotations

import dataclasses
import itertools
import statistics
from collections import Counter
from collections.abc import Sequence

from minigrad_course.grading.people.names import number_of
from minigrad_course.grading.records.record import number

MOST_COLUMNS = 12  # each has its name below, also on a narrow screen


@dataclasses.dataclass(frozen=True)
class Column:
    """A column of a histogram: its first and last points, how many students have them, its height in percent."""

    start: str
    end: str
    count: int
    percent: float

    @property
    def name(self) -> str:
        """What it holds, in words."""
        points = self.start if self.end == self.start else f"{self.start} to {self.end}"
        return f"{points} {'point' if points == '1' else 'points'}: {number_of(self.count, 'student')}"


@dataclasses.dataclass(frozen=True)
class Histogram:
    """How the points of a class are distributed: in columns, and the same in words."""

    alt: str
    columns: list[Column]


def histogram(points: Sequence[float], possible: float) -> Histogram:
    """The distribution of points; `possible` is the most."""
    widths = (step * 10**power for power in itertools.count() for step in (1, 2, 5))
    width = next(width for width in widths if possible // width < MOST_COLUMNS)
    last, whole = int(possible // width), all(point == int(point) for point in points)
    counts = Counter(min(int(point // width), last) for point in points)
    columns = []
    for at in range(last + 1):
        after = (at + 1) * width
        end = number(possible) if at == last else number(after - 1) if whole else f"<{after}"
        columns.append(Column(number(at * width), end, counts[at], 100 * counts[at] / max(counts.values())))
    alt = (
        f"Histogram: the points of {len(points)} students, out of {number(possible)}; mean "
        f"{statistics.fmean(points):.1f}, median {statistics.median(points):.1f}, from {number(min(points))} to "
        f"{number(max(points))}. {'; '.join(column.name for column in columns if column.count)}."
    )
    return Histogram(alt, columns)
