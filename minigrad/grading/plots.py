"""The plots of the class page, each with alternative text that says the same."""

from __future__ import annotations

import base64
import dataclasses
import io
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup
from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from minigrad.course.verdicts import COLOURS

MOST_BARS = 15
WORDS = ("passed", "wrong", "open")


@dataclasses.dataclass(frozen=True)
class Plot:
    """A picture as a data address, and what it shows in words."""

    title: str
    image: Markup
    alt: str


def success_plot(exercise: str, counts: Mapping[str, Counter[str]]) -> Plot:
    """How many students passed each part of an exercise; `counts` has the results of each part."""
    names = list(counts)
    figure = Figure(figsize=(8, 0.8 + 0.35 * len(names)), layout="constrained")
    axes = figure.subplots()
    left = [0] * len(names)
    for word in WORDS:
        widths = [counts[name][word] for name in names]
        axes.barh(names, widths, left=left, color=COLOURS[word], label=word)
        left = [one + other for one, other in zip(left, widths, strict=True)]
    axes.invert_yaxis()
    axes.set_xlabel("submissions")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
    each = [f"{name} {counts[name]['passed']} of {counts[name].total()}" for name in names]
    return Plot(
        f"{exercise}: success per part", address(figure), f"Bars: how many passed each part. {'; '.join(each)}."
    )


def mistakes_plot(mistakes: Sequence[Mapping[str, Any]]) -> Plot:
    """The commonest mistakes."""
    first = mistakes[:MOST_BARS]
    names = [f"{each['part']}: {each['name']}" for each in first]
    times = [each["times"] for each in first]
    figure = Figure(figsize=(8, 0.8 + 0.35 * len(names)), layout="constrained")
    axes = figure.subplots()
    axes.barh(names, times, color=COLOURS["wrong"])
    axes.invert_yaxis()
    axes.set_xlabel("submissions")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    each = "; ".join(f"{name}, {count} times" for name, count in zip(names, times, strict=True))
    return Plot("Most common mistakes", address(figure), f"Bars: the recognised mistakes. {each}.")


def points_plot(points: Sequence[float], possible: float) -> Plot:
    """How the points of the class are distributed; `possible` is the most."""
    figure = Figure(figsize=(8, 2.5), layout="constrained")
    axes = figure.subplots()
    axes.hist(points, bins=min(20, max(int(possible), 1)), range=(0, max(possible, 1)), color=COLOURS["open"])
    axes.set_xlabel("points")
    axes.set_ylabel("students")
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    alt = (
        f"Histogram: the points of {len(points)} students, out of {possible:g}; mean {statistics.fmean(points):.1f}, "
        f"median {statistics.median(points):.1f}, from {min(points):g} to {max(points):g}."
    )
    return Plot("Points", address(figure), alt)


def times_plot(seconds: Sequence[float]) -> Plot:
    """How long the submissions took to judge."""
    figure = Figure(figsize=(8, 2.5), layout="constrained")
    axes = figure.subplots()
    axes.hist(seconds, bins=30, color=COLOURS["open"])
    axes.set_xlabel("seconds to judge a submission")
    axes.set_ylabel("submissions")
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    alt = (
        f"Histogram: judging a submission took {statistics.median(seconds):.2f} seconds (median), "
        f"{max(seconds):.2f} at most."
    )
    return Plot("Times", address(figure), alt)


def address(figure: Figure) -> Markup:
    """A figure as SVG in a data address: nothing has to be fetched, and the same figure gives the same bytes."""
    image = io.BytesIO()
    with rc_context({"svg.hashsalt": "minigrad"}):
        figure.savefig(image, format="svg", metadata={"Date": None})
    return Markup("data:image/svg+xml;base64," + base64.b64encode(image.getvalue()).decode("ascii"))
