"""Pictures of Jacobians: a matrix with its rows weighted by v, and slices for results with several axes."""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

import minigrad
from minigrad.tensor import Tensor
from minigrad_course.pictures import canvas, svg
from minigrad_course.pictures.shown import Picture

MOST_NUMBERS = 14  # rows or columns up to which cells show their numbers
ROW, LABELS = 52, 30  # pixels: a weighted row, and the names above the columns
CELL, HIGH = 44, 30  # pixels of a cell of a slice
OVERVIEW = 420  # pixels of a side of a matrix that is too large for numbers


def jacobian(
    program: Callable[..., Tensor], x: ArrayLike, v: ArrayLike | None = None, names: Sequence[str] = ("y", "x")
) -> Picture:
    """The Jacobian of `program` at `x` as a matrix, one row per entry of the result, one column per entry of x.

    With `v` each entry is shaded by its weighted value, and the sums of the weighted columns, x.grad,
    are below. `names` are those of the result and of `x`. `x` may be a list, an array, or a tensor of the engine
    that the program uses.
    """
    J, shape = jacobian_of(program, x)
    return heat_map(J, J.ndim - len(shape), v, names)


def jacobian_of(program: Callable[..., Tensor], x: ArrayLike) -> tuple[np.ndarray, tuple[int, ...]]:
    """The whole Jacobian, of the shape of the result followed by the shape of x, and the shape of x."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(x, torch.Tensor):
        return torch.autograd.functional.jacobian(program, x.detach()).numpy(), tuple(x.shape)
    point = x.detach() if isinstance(x, Tensor) else minigrad.tensor(np.asarray(x, np.float32).tolist())
    J = minigrad.autograd.functional.jacobian(program, point)
    return np.array(J._array), tuple(point.shape)


def heat_map(J: ArrayLike, outputs: int = 1, v: ArrayLike | None = None, names: Sequence[str] = ("y", "x")) -> Picture:
    """A Jacobian that is already there: its first `outputs` axes are those of the result."""
    J = np.asarray(J, float)
    result, into = J.shape[:outputs], J.shape[outputs:]
    matrix = J.reshape(int(np.prod(result)), int(np.prod(into)))
    weights = None if v is None else weights_for(v, result)
    words = words_for(matrix, (result, into), names, weights)
    if max(matrix.shape) > MOST_NUMBERS:
        return Picture(overview(matrix, (result, into), names, weights, words), words)
    return Picture(table(matrix, weights, labels(names[0], result), labels(names[1], into), names[1], words), words)


def weights_for(v: ArrayLike, shape: tuple[int, ...]) -> np.ndarray:
    """One weight for each row. ValueError if v does not have the shape of the result."""
    weights = np.asarray(v.detach() if hasattr(v, "detach") else v, float)
    if weights.shape != shape:
        raise ValueError(f"v has the shape {list(weights.shape)}, and the result {list(shape)}: they have to agree.")
    return weights.reshape(-1)


def labels(name: str, shape: tuple[int, ...]) -> list[str]:
    """A label for each entry: `y[0, 1]`."""
    return [f"{name}{canvas.shape_text(index) if shape else ''}" for index in np.ndindex(*shape)]


def entry(value: float) -> str:
    """A number after an operator: in brackets if it is negative."""
    return f"({canvas.number(value)})" if value < 0 else canvas.number(value)


def term(weight: float, value: float) -> str:
    """An entry times its weight, as text."""
    return f"{canvas.number(weight)} × {entry(value)}"


def table(
    J: np.ndarray, v: np.ndarray | None, down: Sequence[str], across: Sequence[str], name: str, words: str
) -> str:
    """A matrix with labels. With weights: the weighted rows, shaded by sign and size, and their sum below."""
    rows, columns = J.shape
    shares = J if v is None else v[:, None] * J
    weights = [] if v is None else [f"× {canvas.number(item)}" for item in v]
    terms = [] if v is None else [[term(w, item) for item in row] for w, row in zip(v, J, strict=True)]
    total = [] if v is None else [canvas.number(item) for item in v @ J]
    high = HIGH + 6 if v is None else ROW
    wide = 30 + max(
        svg.widest(itertools.chain(*terms), 12),
        svg.widest([canvas.number(item) for item in shares.flat], 15),
        svg.widest(across, 13),
        svg.widest(total, 17),
    )
    side = [svg.width_of(text, 14) + 24 for text in down]
    if weights:
        side = [item + svg.width_of(weight, 14) + 12 for item, weight in zip(side, weights, strict=True)]
    left = max([*side, svg.width_of(f"{name}.grad", 15) + 24 if total else 0])
    foot = LABELS + high * rows
    sheet = svg.Sheet(left + columns * wide + 4, foot + (44 if total else 4), words)
    most = float(np.abs(shares).max(initial=0.0))
    for column, text in enumerate(across):
        sheet.text(left + (column + 0.5) * wide, 18, text, 13, "soft")
    for row, text in enumerate(down):
        y = LABELS + high * row
        sheet.text(4, y + high / 2 + 5, text, 14, text_anchor="start")
        if weights:
            sheet.text(left - 12, y + high / 2 + 5, weights[row], 14, "leaf", text_anchor="end")
        for column, value in enumerate(shares[row]):
            x = left + column * wide
            fill = svg.tint(float(value), most)
            sheet.rectangle(x + 2, y + 2, wide - 4, high - 4, rx=6, fill=fill, stroke="faint")
            middle = y + (23 if terms else high / 2 + 5)
            sheet.text(x + wide / 2, middle, canvas.number(value), 15, font_weight=600)
            if terms:
                sheet.text(x + wide / 2, y + 41, terms[row][column], 12)
    if total:
        line = f"M{svg.short(left)},{foot + 6}h{svg.short(columns * wide)}"
        sheet.add("path", d=line, stroke="line", stroke_width=1.5)
        sheet.text(left - 12, foot + 32, f"{name}.grad", 15, text_anchor="end", font_weight=600)
        for column, text in enumerate(total):
            sheet.text(left + (column + 0.5) * wide, foot + 32, text, 17, font_weight=600)
    return str(sheet)


def overview(
    matrix: np.ndarray,
    shapes: tuple[tuple[int, ...], tuple[int, ...]],
    names: Sequence[str],
    weights: np.ndarray | None,
    words: str,
) -> str:
    """A matrix too large for numbers: its entries, or what their weights make of them, as colours and signs."""
    shares = matrix if weights is None else weights[:, None] * matrix
    cell = OVERVIEW / max(matrix.shape)
    width, height = cell * matrix.shape[1], cell * matrix.shape[0]
    sheet = svg.Sheet(max(width + 34, 220), height + 34, words)
    texts = [f"{name}, shape {canvas.shape_text(shape)}" for name, shape in zip(names, shapes, strict=True)]
    sheet.text(30, 16, texts[1], 13, "soft", text_anchor="start")
    turned = f"rotate(-90 16 {svg.short(30 + height / 2)})"
    sheet.text(16, 30 + height / 2, texts[0], 13, "soft", transform=turned)
    signed(sheet, shares, 30, 26, cell)
    sheet.rectangle(30, 26, width, height, rx=0, fill="none", stroke="line")
    return str(sheet)


def signed(sheet: svg.Sheet, values: np.ndarray, x: float, y: float, cell: float) -> None:
    """A grid of cells shaded by sign and size, with a plus or a minus in each that is not 0, as large as the entry."""
    most = float(np.abs(values).max(initial=0.0))
    marks = ""
    for (row, column), value in np.ndenumerate(values):
        if not value:
            continue
        left, top = x + column * cell, y + row * cell
        fill = svg.tint(float(value), most)
        sheet.rectangle(left, top, cell, cell, rx=0, fill=fill)
        half = cell * 0.36 * (abs(value) / most) ** 0.5
        if half < 1:
            continue
        middle, level = left + cell / 2, top + cell / 2
        marks += f"M{svg.short(middle - half)},{svg.short(level)}h{svg.short(2 * half)}"
        marks += f"M{svg.short(middle)},{svg.short(level - half)}v{svg.short(2 * half)}" if value > 0 else ""
    sheet.add("path", d=marks, stroke="ink", stroke_width=1, fill="none")


def words_for(
    matrix: np.ndarray,
    shapes: tuple[tuple[int, ...], tuple[int, ...]],
    names: Sequence[str],
    weights: np.ndarray | None,
) -> str:
    """A heat map in words."""
    (result, into), (y, x) = shapes, names
    of, to = canvas.shape_text(result), canvas.shape_text(into)
    head = f"The Jacobian of {y}, shape {of}, with respect to {x}, shape {to}"
    if matrix.size <= 64:
        lines = [f"{name}: {canvas.numbers(row)}" for name, row in zip(labels(y, result), matrix, strict=True)]
        text = f"{head}, row by row. {'; '.join(lines)}."
    else:
        share = np.count_nonzero(matrix) / matrix.size
        text = f"{head}, as colours; {share:.0%} of its {matrix.size:,} entries are not zero."
    if weights is not None:
        v = f"v = {canvas.numbers(weights.reshape(result))}" if weights.size <= 16 else "v"
        total = (weights @ matrix).reshape(into)
        results = canvas.numbers(total) if total.size <= 16 else f"numbers of shape {canvas.shape_text(into)}"
        text += f" Each row is weighted with its entry of {v}. The columns add up to {x}.grad = {results}."
    return text


# --- slices --------------------------------------------------------------------------------------


def slices(
    J: ArrayLike,
    weights: ArrayLike | None = None,
    names: Sequence[str] = ("y", "x"),
    outputs: int | None = None,
) -> Picture:
    """A Jacobian of several axes as a grid of small matrices: for each entry of the result, its slice of x's shape.

    Nonzero entries are shaded. With `weights`, of the result's shape, each slice is shaded by what it adds,
    and the weighted sum is below. `outputs` is the number of axes of the result; by default that of `weights`,
    or the first half of the axes is taken.
    """
    array = np.asarray(J.detach() if hasattr(J, "detach") else J, float)
    v = None if weights is None else np.asarray(weights.detach() if hasattr(weights, "detach") else weights, float)
    first = outputs if outputs is not None else v.ndim if v is not None else array.ndim // 2
    result, into = array.shape[:first], array.shape[first:]
    factors = None if v is None else weights_for(v, result)
    panels = [flat(array[index]) for index in np.ndindex(*result)]
    titles = labels(names[0], result)
    words = words_for_slices(array, titles, (result, into), names, factors)
    return Picture(panels_of(panels, titles, factors, result, names[1], words), words)


def panels_of(
    panels: Sequence[np.ndarray],
    titles: Sequence[str],
    v: np.ndarray | None,
    result: tuple[int, ...],
    name: str,
    words: str,
    hidden: bool = False,
) -> str:
    """Slices side by side, laid out as the result is; with weights, shaded by what each adds, and the sum below.

    `hidden`: show a question mark for each number.
    """
    down, across = panels[0].shape
    per_row = result[-1] if result else 1
    heads = [text if v is None else f"{canvas.number(v[n])} × {text}" for n, text in enumerate(titles)]
    numbers = [canvas.number(item) for item in np.concatenate([panel.reshape(-1) for panel in panels])]
    cell = max(CELL, svg.widest(numbers, 13) + 12)
    wide, high = max(across * cell, svg.widest(heads, 13)) + 26, down * HIGH + 40
    count = math.ceil(len(panels) / per_row)
    shades = [item * (1 if v is None else v[n]) for n, item in enumerate(panels)]
    total = None if v is None else sum(shades[1:], shades[0])
    width = per_row * wide if total is None else max(per_row * wide, across * 60 + 110)
    sheet = svg.Sheet(width, count * high + (0 if total is None else down * HIGH + 24), words)
    most = max(float(np.abs(shade).max()) for shade in shades)
    for number, (panel, shade) in enumerate(zip(panels, shades, strict=True)):
        x, y = number % per_row * wide + 4, number // per_row * high
        sheet.text(x, y + 16, heads[number], 13, "soft", text_anchor="start")
        cells(sheet, x, y + 24, cell, np.zeros_like(panel) if hidden else shade, most, panel, hidden)
    if total is not None:
        y = count * high + 10
        sheet.text(4, y + down * HIGH / 2 + 5, f"{name}.grad", 15, text_anchor="start", font_weight=600)
        cells(sheet, 100, y, 60, total, float(np.abs(total).max()), total)
    return str(sheet)


def cells(
    sheet: svg.Sheet,
    x: float,
    y: float,
    wide: float,
    shade: np.ndarray,
    most: float,
    shown: np.ndarray,
    hidden: bool = False,
) -> None:
    """A matrix as cells, shaded by what they contribute."""
    for (row, column), value in np.ndenumerate(shown):
        left, top = x + column * wide, y + row * HIGH
        fill = svg.tint(float(shade[row, column]), most)
        sheet.rectangle(left + 1, top + 1, wide - 2, HIGH - 2, rx=4, fill=fill, stroke="faint")
        text = "?" if hidden else canvas.number(value)
        sheet.text(left + wide / 2, top + HIGH / 2 + 5, text, 13, "soft" if hidden or not value else "ink")


def words_for_slices(
    J: np.ndarray,
    titles: Sequence[str],
    shapes: tuple[tuple[int, ...], tuple[int, ...]],
    names: Sequence[str],
    v: np.ndarray | None,
) -> str:
    """The slices in words."""
    (result, into), (y, x) = shapes, names
    of, to = canvas.shape_text(result), canvas.shape_text(into)
    text = f"The Jacobian of {y}, shape {of}, with respect to {x}, shape {to}: {len(titles)} slices of shape {to}. "
    if J.size <= 100:
        results = (f"{title}: {entries(J[index])}" for title, index in zip(titles, np.ndindex(*result), strict=True))
        text += "; ".join(results) + "."
    if v is not None:
        total = np.tensordot(v.reshape(result), J, axes=len(result))
        text += f" Weighted with {canvas.said(v.reshape(result))} they add up to {x}.grad = {canvas.said(total)}."
    return text


def flat(array: np.ndarray) -> np.ndarray:
    """An array as a matrix: one row if it has one axis, the first axes joined if it has more than two."""
    return array.reshape(1, -1) if array.ndim < 2 else array.reshape(-1, array.shape[-1])


def entries(matrix: np.ndarray) -> str:
    """The entries that are not zero, with their places."""
    results = [
        f"{canvas.number(value)} at {canvas.shape_text(index)}" for index, value in np.ndenumerate(matrix) if value
    ]
    return ", ".join(itertools.islice(results, 12)) or "all zero"
