"""Plots of measured numbers: lines, bars, the regions of a classifier, and rows of small images."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from minigrad_course.pictures import canvas, svg
from minigrad_course.pictures.jacobians import signed as draw_signed
from minigrad_course.pictures.plot import MARKS, Plot, mark
from minigrad_course.pictures.shown import Picture

SERIES = ("leaf", "flow", "done", "ink", "soft", "line")
DASHES = (None, "7 4", "9 3 2 3", "2 3", "12 4", "1 4")
SIZES = (620, 340), (350, 300)  # pixels of a plot, and of the same for a narrow column
SQUARE = 390
BAR = 30
PIXEL = 12  # of an image
GREYS = 12  # steps from the lightest to the darkest


def lines(
    series: Mapping[str, tuple[ArrayLike, ArrayLike]],
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
    results = {name: (plain(xs), plain(ys)) for name, (xs, ys) in series.items()}
    words = alt or spoken(series, xlabel, ylabel, title)
    xs, ys = (np.concatenate([pair[axis] for pair in results.values()]) for axis in (0, 1))
    ys = ys[np.isfinite(ys)]
    if not ys.size:
        raise ValueError(f"No number of {ylabel} is finite, so there is nothing to draw.")
    bases = (2 if powers_of_two(series) else 10) if logx else 0, 10 if logy else 0
    names = list(results) if len(results) > 1 else []
    sheets = []
    for size in SIZES:
        plot = Plot(size, (xs.min(), xs.max()), (ys.min(), ys.max()), bases, names=names)
        sheet = plot.sheet(words, xlabel, ylabel, title)
        for index, (across, up) in enumerate(results.values()):
            draw_line(sheet, plot, index, across, up, len(across) <= 20 if markers is None else markers)
        sheets.append(str(sheet))
    return Picture(sheets[0], words, sheets[1])


def draw_line(sheet: svg.Sheet, plot: Plot, index: int, xs: np.ndarray, ys: np.ndarray, marked: bool) -> None:
    """One line of a plot, and its entry in the legend."""
    colour, dashes = SERIES[index % len(SERIES)], DASHES[index % len(DASHES)]
    kind = MARKS[index % len(MARKS)]
    points = [plot.at(x, y) for x, y in zip(xs, ys, strict=True)]
    look = {"stroke_dasharray": dashes} if dashes else {}
    sheet.add("path", d=path(points), fill="none", stroke=colour, stroke_width=2, stroke_linejoin="round", **look)
    for x, y in points if marked else []:
        mark(sheet, kind, x, y, colour)
    if plot.names:
        x, y = plot.legend(sheet, index)
        sheet.add("path", d=f"M{svg.short(x)},{svg.short(y)}h28", stroke=colour, stroke_width=2, **look)
        if marked:
            mark(sheet, kind, x + 14, y, colour)


def curve(
    ys: ArrayLike, xlabel: str = "step", ylabel: str = "loss", title: str = "", alt: str = "", **more: Any
) -> Picture:
    """One line over its steps, counted from 0: a loss, say."""
    values = plain(ys)
    return lines({ylabel: (np.arange(len(values)), values)}, xlabel, ylabel, title, alt=alt, **more)


def memory(sizes: Sequence[int], full: Sequence[float], product: Sequence[float], alt: str = "") -> Picture:
    """The memory of a full Jacobian compared with a vector-Jacobian product, in bytes measured by the caller."""
    series = {"the full Jacobian": (sizes, full), "vector-Jacobian product": (sizes, product)}
    return lines(series, "entries of x", "bytes", logx=True, logy=True, alt=alt)


def bars(
    names: Sequence[str], values: ArrayLike, ylabel: str = "", title: str = "", alt: str = "", log: bool = False
) -> Picture:
    """A bar for each name, with its number at its end. With `log` the lengths are logarithmic."""
    lengths = plain(values)
    told = "; ".join(f"{name}: {canvas.number(value)}" for name, value in zip(names, lengths, strict=True))
    words = alt or f"Bars{f', {ylabel}' if ylabel else ''}. {told}."
    least = lengths[lengths > 0].min(initial=1.0) / 4 if log else min(0.0, lengths.min(initial=0.0))
    places = np.log(np.maximum(lengths, least) / least) if log else lengths - least
    label = f"{ylabel}, logarithmic" if log and ylabel else ylabel
    texts = [canvas.number(length) for length in lengths]
    wide, narrow = (drawn_bars(width, names, places, texts, label, title, words) for width, _ in SIZES)
    return Picture(wide, words, narrow)


def drawn_bars(
    width: float, names: Sequence[str], places: np.ndarray, texts: list[str], label: str, title: str, words: str
) -> str:
    """Bars of these lengths, scaled to the width, with a name before and a text after each."""
    left, right = svg.widest(names, 13) + 14, svg.widest(texts, 13) + 12
    scale = (width - left - right) / (float(places.max(initial=0.0)) or 1.0)
    top = 30 if title else 4
    sheet = svg.Sheet(width, top + BAR * len(names) + (26 if label else 4), words)
    if title:
        sheet.text(width / 2, 18, title, 14, font_weight=600)
    for row, (name, place, text) in enumerate(zip(names, places, texts, strict=True)):
        y = top + BAR * row
        sheet.text(left - 10, y + 20, name, 13, text_anchor="end")
        sheet.rectangle(left, y + 5, scale * place, BAR - 10, fill="leaf")
        sheet.text(left + scale * place + 6, y + 20, text, 13, text_anchor="start")
    if label:
        sheet.text(left, top + BAR * len(names) + 18, label, 12, "soft", text_anchor="start")
    return str(sheet)


def regions(
    predict: Callable[[np.ndarray], ArrayLike],
    points: ArrayLike,
    labels: ArrayLike,
    alt: str,
    title: str = "",
    grid: int = 80,
) -> Picture:
    """Where a classifier says what, over the plane, with the points it was trained on.

    `predict` takes an array of shape [n, 2] and gives one number per row: positive for the class 1, negative for 0.
    """
    points, labels = plain(points), plain(labels).reshape(-1)
    low, high = points.min(axis=0) - 0.4, points.max(axis=0) + 0.4
    xs, ys = (np.linspace(low[axis], high[axis], grid) for axis in (0, 1))
    plane = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2).astype(np.float32)
    scores = plain(predict(plane)).reshape(grid, grid)
    plot = Plot((SQUARE, SQUARE), (low[0], high[0]), (low[1], high[1]), tight=True, names=("class 0", "class 1"))
    sheet = plot.sheet(alt, "x[0]", "x[1]", title)
    areas, border = divided(scores, [plot.at(x, y) for y in ys for x in xs])
    left, top, width, height = map(svg.short, plot.frame)
    whole = f"M{left},{top}h{width}v{height}h-{width}z"
    sheet.add("path", d=whole + areas, fill="rgba(var(--plus),.25)", fill_rule="evenodd")
    sheet.add("path", d=areas, fill="rgba(var(--minus),.25)")
    sheet.add("path", d=border, fill="none", stroke="ink", stroke_width=1.5)
    for kind, colour, shape in ((0, "leaf", "o"), (1, "flow", "^")):
        for x, y in points[labels == kind]:
            mark(sheet, shape, *plot.at(x, y), colour, edge="ground")
        x, y = plot.legend(sheet, kind)
        mark(sheet, shape, x + 20, y, colour)
    return Picture(str(sheet), alt)


def divided(scores: np.ndarray, corners: list[tuple[float, float]]) -> tuple[str, str]:
    """The part of a grid where the scores are positive, and its border, each as a path.

    A side between a positive and a negative corner is cut where a straight line between their scores is 0.
    """
    rows, columns = scores.shape
    area, border = "", ""
    for row in range(rows - 1):
        start = -1  # of a run of cells that are positive altogether
        for column in range(columns):
            places = [(row, column), (row, column + 1), (row + 1, column + 1), (row + 1, column)]
            whole = column < columns - 1 and all(scores[place] > 0 for place in places)
            if whole and start < 0:
                start = column
            if not whole and start >= 0:
                (x0, y0), (x1, y1) = corners[row * columns + start], corners[(row + 1) * columns + column]
                area += f"M{svg.short(x0)},{svg.short(y0)}H{svg.short(x1)}V{svg.short(y1)}H{svg.short(x0)}z"
                start = -1
            if whole or column == columns - 1 or not any(scores[place] > 0 for place in places):
                continue
            inside, cuts = clipped([(corners[i * columns + j], float(scores[i, j])) for i, j in places])
            area += path(inside) + "z"
            border += "".join(path(cuts[n : n + 2]) for n in range(0, len(cuts) - 1, 2))
    return area, border


def clipped(
    corners: list[tuple[tuple[float, float], float]],
) -> tuple[list[tuple[float, float]], list[tuple[float, float]]]:
    """The part of a cell where the score is positive, and the points where its sides are cut."""
    inside: list[tuple[float, float]] = []
    cuts: list[tuple[float, float]] = []
    for (here, score), (there, other) in zip(corners, corners[1:] + corners[:1], strict=True):
        if score > 0:
            inside.append(here)
        if (score > 0) != (other > 0):
            part = score / (score - other)
            cut = here[0] + part * (there[0] - here[0]), here[1] + part * (there[1] - here[1])
            inside.append(cut)
            cuts.append(cut)
    return inside, cuts


def images(arrays: Sequence[ArrayLike], titles: Sequence[str], alt: str, signed: bool = False) -> Picture:
    """A row of small grey images with titles, the larger a number the darker. With `signed`, a plus or a minus in each
    pixel says its sign, and its size the pixel's.
    """
    grids = [plain(array) for array in arrays]
    wide, narrow = (drawn_images(grids, titles, alt, signed, width) for width, _ in SIZES)
    return Picture(wide, alt, narrow if narrow != wide else "")


def drawn_images(grids: list[np.ndarray], titles: Sequence[str], alt: str, signed: bool, width: float) -> str:
    """The images in as many rows as the width asks for."""
    across, down = (max(grid.shape[axis] for grid in grids) * PIXEL for axis in (1, 0))
    side = max(across, svg.widest(titles, 13)) + 6
    per_row = max(1, min(len(grids), int(width // side)))
    sheet = svg.Sheet(side * per_row, (down + 36) * math.ceil(len(grids) / per_row), alt)
    for number, (values, title) in enumerate(zip(grids, titles, strict=True)):
        left, top = number % per_row * side, number // per_row * (down + 36)
        with sheet.moved(left + (side - across) / 2, top + 24):
            sheet.text(across / 2, -8, title, 13)
            (draw_signed if signed else grey)(sheet, values, 0, 0, PIXEL)
            high, wide = values.shape
            sheet.rectangle(0, 0, wide * PIXEL, high * PIXEL, rx=0, fill="none", stroke="line")
    return str(sheet)


def grey(sheet: svg.Sheet, values: np.ndarray, x: float, y: float, cell: float) -> None:
    """An image in the text colour, stronger for larger numbers: one path for each of a few steps."""
    low, high = float(values.min()), float(values.max())
    steps = np.rint((values - low) / ((high - low) or 1.0) * GREYS).astype(int)
    for step in range(1, GREYS + 1):
        cells = "".join(
            f"M{svg.short(x + j * cell)},{svg.short(y + i * cell)}h{cell}v{cell}h-{cell}z"
            for i, j in np.argwhere(steps == step)
        )
        if cells:
            sheet.add("path", d=cells, fill="ink", fill_opacity=f"{step / GREYS:.2f}")


# --- what all of them need -----------------------------------------------------------------------


def path(points: Sequence[tuple[float, float]]) -> str:
    """Points as a path of straight lines; what cannot be shown, as nan, interrupts it."""
    text, pen = "", "M"
    for x, y in points:
        if math.isfinite(x) and math.isfinite(y):
            text, pen = f"{text}{pen}{svg.short(x)},{svg.short(y)}", "L"
        else:
            pen = "M"
    return text


def plain(values: ArrayLike) -> np.ndarray:
    """Numbers as an array: from a list, an array, or a tensor of either engine."""
    each = values.detach() if hasattr(values, "detach") else values
    if isinstance(each, (list, tuple)):
        return np.asarray([one.item() if hasattr(one, "item") else one for one in each], float)
    return np.asarray(each, float)


def powers_of_two(series: Mapping[str, tuple[ArrayLike, ArrayLike]]) -> bool:
    """True if all places along x are powers of two, which are then the ticks."""
    xs = np.concatenate([plain(places) for places, _ in series.values()])
    return bool(np.all((xs > 0) & (np.log2(np.maximum(xs, 1e-300)) % 1 == 0)))


def spoken(series: Mapping[str, tuple[ArrayLike, ArrayLike]], xlabel: str, ylabel: str, title: str) -> str:
    """The lines in words: where each begins and ends."""
    told = []
    for name, (places, heights) in series.items():
        xs, ys = plain(places), plain(heights)
        told.append(
            f"{name} goes from {canvas.number(ys[0])} at {canvas.number(xs[0])} "
            f"to {canvas.number(ys[-1])} at {canvas.number(xs[-1])}"
        )
    return f"{f'{title}: ' if title else ''}{ylabel} over {xlabel}. {'; '.join(told)}."
