"""Plots of measured numbers: lines, bars, the regions of a classifier, and rows of small images."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from minigrad.course.pictures import canvas
from minigrad.course.pictures.canvas import BLUE, GREY, SERIES, STYLE, VERMILLION, Picture
from minigrad.course.pictures.jacobians import SIGNED

MARKERS = ("o", "s", "^", "D", "v", "P")
DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (1, 1)))


def lines(
    series: Mapping[str, tuple[Any, Any]],
    xlabel: str,
    ylabel: str,
    title: str = "",
    logx: bool = False,
    logy: bool = False,
    alt: str = "",
    markers: bool | None = None,
) -> Picture:
    """One line for each series, name -> (xs, ys); told apart by colour, dashes and marks, and named in a legend.

    Without `markers`, points are marked if there are few of them. Without `alt`, the words say where each line begins
    and ends.
    """
    figure, axes = framed(5.6, 3.4)
    for index, (name, (xs, ys)) in enumerate(series.items()):
        mark = len(xs) <= 20 if markers is None else markers
        axes.plot(
            plain(xs),
            plain(ys),
            label=name,
            color=SERIES[index % len(SERIES)],
            linestyle=DASHES[index % len(DASHES)],
            marker=MARKERS[index % len(MARKERS)] if mark else None,
            markersize=5,
            linewidth=1.8,
        )
    axes.set(xlabel=xlabel, ylabel=ylabel, title=title)
    if logx:
        axes.set_xscale("log", base=10 if not powers_of_two(series) else 2)
    if logy:
        axes.set_yscale("log")
    if len(series) > 1:
        axes.legend(frameon=False)
    return finished(figure, alt or spoken(series, xlabel, ylabel, title))


def curve(ys: Any, xlabel: str = "step", ylabel: str = "loss", title: str = "", alt: str = "", **more: Any) -> Picture:
    """One line over its steps, counted from 0: a loss, say."""
    values = plain(ys)
    return lines({ylabel: (np.arange(len(values)), values)}, xlabel, ylabel, title, alt=alt, **more)


def memory(sizes: Sequence[int], full: Sequence[float], product: Sequence[float], alt: str = "") -> Picture:
    """What a full Jacobian takes beside a vector-Jacobian product, in bytes that the caller has measured."""
    series = {"the full Jacobian": (sizes, full), "vector-Jacobian product": (sizes, product)}
    return lines(series, "entries of x", "bytes", logx=True, logy=True, alt=alt)


def bars(
    names: Sequence[str], values: Any, ylabel: str = "", title: str = "", alt: str = "", log: bool = False
) -> Picture:
    """A bar for each name, with its number at its end. With `log` the lengths are logarithmic."""
    heights = plain(values)
    figure, axes = framed(5.6, 0.36 * len(names) + 0.9)
    places = np.arange(len(names))[::-1]
    axes.barh(places, heights, color=BLUE, height=0.6)
    axes.set_yticks(places, names)
    axes.set(xlabel=ylabel, title=title)
    axes.grid(visible=False, axis="y")
    if log:
        axes.set_xscale("log")
    for at, height in zip(places, heights, strict=True):
        axes.annotate(canvas.number(height), (height, at), (4, 0), textcoords="offset points", va="center", fontsize=9)
    axes.margins(x=0.15)
    told = "; ".join(f"{name}: {canvas.number(value)}" for name, value in zip(names, heights, strict=True))
    return finished(figure, alt or f"Bars{f', {ylabel}' if ylabel else ''}. {told}.")


def regions(
    predict: Callable[[np.ndarray], Any], points: Any, labels: Any, alt: str, title: str = "", grid: int = 80
) -> Picture:
    """Where a classifier says what, over the plane, with the points it was trained on.

    `predict` takes an array of shape [n, 2] and gives one number per row: positive for the class 1, negative for 0.
    """
    points, labels = plain(points), plain(labels).reshape(-1)
    low, high = points.min(axis=0) - 0.4, points.max(axis=0) + 0.4
    xs, ys = (np.linspace(low[axis], high[axis], grid) for axis in (0, 1))
    plane = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2).astype(np.float32)
    scores = plain(predict(plane)).reshape(grid, grid)
    figure, axes = framed(4.4, 4.0)
    axes.grid(visible=False)
    axes.contourf(xs, ys, np.sign(scores), levels=[-2, 0, 2], colors=["#CFE3F1", "#F9DCCB"])
    if scores.min() < 0 < scores.max():
        axes.contour(xs, ys, scores, levels=[0], colors="black", linewidths=1.5)
    for kind, colour, marker in ((0, BLUE, "o"), (1, VERMILLION, "^")):
        mine = points[labels == kind]
        style: dict[str, Any] = {"marker": marker, "color": colour, "edgecolors": "white", "linewidths": 0.6, "s": 36}
        axes.scatter(*mine.T, label=f"class {kind}", **style)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2, frameon=False)  # below, so it hides no point
    axes.set(title=title, xlabel="x[0]", ylabel="x[1]")
    return finished(figure, alt)


def images(arrays: Sequence[Any], titles: Sequence[str], alt: str, signed: bool = False) -> Picture:
    """A row of small grey images with titles; with `signed`, negative numbers are blue and positive ones orange."""
    side = max([1.2, *(canvas.width_of(title, 9) + 0.1 for title in titles)])
    figure = Figure(figsize=(side * len(arrays), side + 0.25), facecolor="white")
    for index, (array, title) in enumerate(zip(arrays, titles, strict=True)):
        place = (index + 0.04) / len(arrays), 0.02, 0.92 / len(arrays), 0.92 * side / (side + 0.25)
        axes = figure.add_axes(place)
        values = plain(array)
        most = float(np.abs(values).max()) or 1.0
        colours: dict[str, Any] = {"cmap": SIGNED, "vmin": -most, "vmax": most} if signed else {"cmap": "gray_r"}
        axes.imshow(values, interpolation="nearest", **colours)
        axes.set_axis_off()
        top = (index + 0.5) / len(arrays), 1 - 0.14 / (side + 0.25)
        figure.text(*top, title, fontsize=9, ha="center", va="center", parse_math=False)
    return canvas.picture_of(figure, alt)


# --- what all of them need -----------------------------------------------------------------------


def plain(values: Any) -> np.ndarray:
    """Numbers as an array: from a list, an array, or a tensor of either engine."""
    each = values.detach() if hasattr(values, "detach") else values
    if isinstance(each, (list, tuple)):
        return np.asarray([one.item() if hasattr(one, "item") else one for one in each], float)
    return np.asarray(each, float)


def framed(width: float, height: float) -> tuple[Figure, Any]:
    """A figure of so many inches with one pair of quiet axes."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(width, height), facecolor="white")
        axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(visible=True, color="#E5E5E5", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(colors=GREY, labelcolor="black")
    return figure, axes


def finished(figure: Figure, alt: str) -> Picture:
    """The figure with nothing cut off."""
    with matplotlib.rc_context(STYLE):
        figure.tight_layout()
    return canvas.picture_of(figure, alt)


def powers_of_two(series: Mapping[str, tuple[Any, Any]]) -> bool:
    """True if all places along x are powers of two, which are then the ticks."""
    xs = np.concatenate([plain(places) for places, _ in series.values()])
    return bool(np.all((xs > 0) & (np.log2(np.maximum(xs, 1e-300)) % 1 == 0)))


def spoken(series: Mapping[str, tuple[Any, Any]], xlabel: str, ylabel: str, title: str) -> str:
    """The lines in words: where each begins and ends."""
    told = []
    for name, (places, heights) in series.items():
        xs, ys = plain(places), plain(heights)
        told.append(
            f"{name} goes from {canvas.number(ys[0])} at {canvas.number(xs[0])} "
            f"to {canvas.number(ys[-1])} at {canvas.number(xs[-1])}"
        )
    return f"{f'{title}: ' if title else ''}{ylabel} over {xlabel}. {'; '.join(told)}."
