"""Pictures of Jacobians: a heat map with its numbers, rows weighted by v, and slices for results with several axes."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.patches import Rectangle

import minigrad
from minigrad.course.pictures import canvas
from minigrad.course.pictures.canvas import FAINT, GREY, INK, VERMILLION, Picture
from minigrad.tensor import Tensor

SIGNED = LinearSegmentedColormap.from_list("signed", ["#8CC1E2", "#FFFFFF", "#F7B58A"])  # negative, 0, positive
DIM = np.array([0.97, 0.97, 0.97])  # a row without weight
BAR, SHARE = "#F5D9A8", "#6E2F00"
MOST_NUMBERS = 14  # rows or columns up to which cells show their numbers
EDGE = 0.12  # inches around everything


def jacobian(program: Callable, x: Any, v: Any = None, names: Sequence[str] = ("y", "x")) -> Picture:
    """The Jacobian of `program` at `x` as a heat map, one row per entry of the result, one column per entry of x.

    With `v` each row is lit by its weight, and the sums of the weighted columns, x.grad, stand below. `names` are
    those of the result and of `x`. `x` may be a list, an array, or a tensor of the engine that the program uses.
    """
    J, shape = jacobian_of(program, x)
    return heat_map(J, J.ndim - len(shape), v, names)


def jacobian_of(program: Callable, x: Any) -> tuple[np.ndarray, tuple[int, ...]]:
    """The whole Jacobian, of the shape of the result followed by the shape of x, and the shape of x."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(x, torch.Tensor):
        return torch.autograd.functional.jacobian(program, x.detach()).numpy(), tuple(x.shape)
    point = x.detach() if isinstance(x, Tensor) else minigrad.tensor(np.asarray(x, np.float32).tolist())
    J = minigrad.autograd.functional.jacobian(program, point)
    return np.array(J._array), tuple(point.shape)


def heat_map(J: Any, outputs: int = 1, v: Any = None, names: Sequence[str] = ("y", "x")) -> Picture:
    """A Jacobian that is already there: its first `outputs` axes are those of the result."""
    J = np.asarray(J, float)
    result, into = J.shape[:outputs], J.shape[outputs:]
    matrix = J.reshape(int(np.prod(result)), int(np.prod(into)))
    weights = None if v is None else weights_for(v, result)
    if max(matrix.shape) > MOST_NUMBERS:
        figure = overview(matrix, (result, into), names, weights)
    else:
        figure = Table(matrix, labels(names[0], result), labels(names[1], into), weights, f"{names[1]}.grad").figure()
    return canvas.picture_of(figure, words_for(matrix, (result, into), names, weights))


def weights_for(v: Any, shape: tuple[int, ...]) -> np.ndarray:
    """One weight for each row. ValueError if v does not have the shape of the result."""
    weights = np.asarray(v.detach() if hasattr(v, "detach") else v, float)
    if weights.shape != shape:
        raise ValueError(f"v has the shape {list(weights.shape)}, and the result {list(shape)}: they have to agree.")
    return weights.reshape(-1)


def labels(name: str, shape: tuple[int, ...]) -> list[str]:
    """A label for each entry: `y[0, 1]`."""
    return [f"{name}{canvas.shape_text(index) if shape else ''}" for index in np.ndindex(*shape)]


# --- one matrix ----------------------------------------------------------------------------------


class Table:
    """A matrix as coloured cells with labels, numbers, and what the weights make of them."""

    def __init__(
        self, matrix: np.ndarray, down: list[str], across: list[str], weights: np.ndarray | None, below: str
    ) -> None:
        self.matrix, self.down, self.across, self.weights, self.below = matrix, down, across, weights, below
        self.high = 0.4 if weights is None else 0.54
        texts = [(canvas.number(value), 11) for value in matrix.flat] + [(text, 10) for text in across]
        if weights is not None:
            texts += [(term(w, value), 9) for w, row in zip(weights, matrix, strict=True) for value in row]
            texts += [(canvas.number(total), 12) for total in weights @ matrix]
        self.wide = max(0.62, 0.2 + widest(texts))
        side = [(text, 10) for text in down] + ([] if weights is None else [(below, 11)])
        self.label = 0.15 + widest(side)
        self.weight = 0.0 if weights is None else 0.3 + widest([(canvas.number(each), 11) for each in weights])

    def figure(self) -> Any:
        """The drawing, in inches, from the top to the bottom."""
        rows, columns = self.matrix.shape
        bottom = 0.0 if self.weights is None else 0.62
        left = EDGE + self.label + self.weight + (0.1 if self.weight else 0.0)
        width, height = left + columns * self.wide + EDGE, 0.34 + rows * self.high + bottom + 2 * EDGE
        figure, axes = canvas.sheet(width, height)
        top = height - EDGE - 0.34
        for column, text in enumerate(self.across):
            canvas.write(axes, left + (column + 0.5) * self.wide, top + 0.17, text, color=GREY)
        for row in range(rows):
            y = top - (row + 1) * self.high
            canvas.write(axes, EDGE + self.label - 0.1, y + self.high / 2, self.down[row], color=GREY, ha="right")
            self.draw_weight(axes, row, y)
            for column in range(columns):
                self.draw_cell(axes, row, column, left + column * self.wide, y)
        if self.weights is not None:
            canvas.write(axes, EDGE + self.label + self.weight / 2, top + 0.17, "v")
            y = EDGE + 0.2
            axes.plot([left, left + columns * self.wide], [y + 0.3, y + 0.3], color="black", linewidth=1.2)
            canvas.write(axes, left - 0.1, y, self.below, ha="right", fontsize=11, color=INK)
            for column, total in enumerate(self.weights @ self.matrix):
                settings: dict[str, Any] = {"fontsize": 12, "color": INK, "fontweight": "bold"}
                canvas.write(axes, left + (column + 0.5) * self.wide, y, canvas.number(total), **settings)
        return figure

    def draw_cell(self, axes: Any, row: int, column: int, x: float, y: float) -> None:
        """One entry, and under it what its weight makes of it."""
        value, light = self.matrix[row, column], light_of(self.weights, row)
        face = shade(value, np.abs(self.matrix).max(), light)
        axes.add_patch(Rectangle((x, y), self.wide, self.high, facecolor=face, edgecolor="white", linewidth=2))
        middle = y + self.high / 2 + (0.0 if self.weights is None else 0.1)
        colour = "black" if light else FAINT
        canvas.write(axes, x + self.wide / 2, middle, canvas.number(value), fontsize=11, color=colour)
        if self.weights is not None:
            text = term(self.weights[row], value)
            shade_of_share = SHARE if light else FAINT
            canvas.write(axes, x + self.wide / 2, y + 0.16, text, fontsize=9, color=shade_of_share)

    def draw_weight(self, axes: Any, row: int, y: float) -> None:
        """The weight of a row, on a bar as long as its share of the largest weight."""
        if self.weights is None:
            return
        x, most = EDGE + self.label, np.abs(self.weights).max()
        full = self.weight * abs(self.weights[row]) / most if most else 0.0
        axes.add_patch(Rectangle((x, y + 0.06), full, self.high - 0.12, facecolor=BAR, edgecolor="none"))
        frame: dict[str, Any] = {"facecolor": "none", "edgecolor": "#999999", "linewidth": 0.8}
        axes.add_patch(Rectangle((x, y + 0.06), self.weight, self.high - 0.12, **frame))
        canvas.write(axes, x + self.weight / 2, y + self.high / 2, canvas.number(self.weights[row]), fontsize=11)


def widest(texts: list[tuple[str, int]]) -> float:
    """The width of the widest of these texts, each with its size."""
    return max((canvas.width_of(text, size) for text, size in texts), default=0.0)


def term(weight: float, value: float) -> str:
    """What a weight makes of an entry."""
    factor = f"({canvas.number(value)})" if value < 0 else canvas.number(value)
    return f"{canvas.number(weight)} · {factor}"


def light_of(weights: np.ndarray | None, row: int) -> float:
    """How strongly a row is lit, from 0 to 1; the square root, so that small weights can be seen beside large ones."""
    if weights is None:
        return 1.0
    most = np.abs(weights).max()
    return float(np.sqrt(abs(weights[row]) / most)) if most else 0.0


def shade(value: float, most: float, light: float) -> Any:
    """The colour of an entry: by its sign and size, the paler the less it is lit."""
    colour = np.array(SIGNED(0.5 + 0.5 * value / most if most else 0.5)[:3])
    return tuple(light * colour + (1 - light) * DIM)


def overview(matrix: np.ndarray, shapes: Any, names: Sequence[str], weights: np.ndarray | None) -> Any:
    """A matrix too large for numbers: its colours alone."""
    cell = min(0.16, 6.0 / max(matrix.shape))
    width, height = cell * matrix.shape[1], cell * matrix.shape[0]
    figure, axes = canvas.sheet(width + 0.7, height + 0.7)
    lights = np.array([light_of(weights, row) for row in range(len(matrix))])[:, None, None]
    most = np.abs(matrix).max() or 1.0
    colours = lights * SIGNED(0.5 + 0.5 * matrix / most)[..., :3] + (1 - lights) * DIM
    extent = (0.5, 0.5 + width, 0.2, 0.2 + height)
    axes.imshow(colours, extent=extent, interpolation="nearest", aspect="auto")
    axes.add_patch(Rectangle((0.5, 0.2), width, height, facecolor="none", edgecolor=GREY, linewidth=0.8))
    axes.set(xlim=(0, width + 0.7), ylim=(0, height + 0.7))
    across, down = (
        f"{names[1]}, shape {canvas.shape_text(shapes[1])}",
        f"{names[0]}, shape {canvas.shape_text(shapes[0])}",
    )
    canvas.write(axes, 0.5 + width / 2, height + 0.42, across, color=GREY)
    canvas.write(axes, 0.25, 0.2 + height / 2, down, color=GREY, rotation=90)
    return figure


def words_for(matrix: np.ndarray, shapes: Any, names: Sequence[str], weights: np.ndarray | None) -> str:
    """A heat map in words."""
    (result, into), (y, x) = shapes, names
    head = f"The Jacobian of {y}, shape {canvas.shape_text(result)}, by {x}, shape {canvas.shape_text(into)}"
    if matrix.size <= 64:
        lines = [f"{name}: {canvas.numbers(row)}" for name, row in zip(labels(y, result), matrix, strict=True)]
        text = f"{head}, row by row. {'; '.join(lines)}."
    else:
        share = np.count_nonzero(matrix) / matrix.size
        text = f"{head}, as colours; {share:.0%} of its {matrix.size:,} entries are not zero."
    if weights is not None:
        v = f"v = {canvas.numbers(weights.reshape(result))}" if weights.size <= 16 else "v"
        total = (weights @ matrix).reshape(into)
        found = canvas.numbers(total) if total.size <= 16 else f"numbers of shape {canvas.shape_text(into)}"
        text += f" Each row is weighted with its entry of {v}. The columns add up to {x}.grad = {found}."
    return text


# --- slices --------------------------------------------------------------------------------------


def slices(
    J: Any,
    weights: Any = None,
    names: Sequence[str] = ("y", "x"),
    outputs: int | None = None,
    chosen: Sequence[int] | None = None,
    hidden: bool = False,
) -> Picture:
    """A Jacobian of several axes as a grid of small matrices: for each entry of the result, its slice of x's shape.

    Entries that are not zero are marked. With `weights`, of the result's shape, each slice carries its weight, and
    the weighted sum stands to the right. `outputs` is the number of axes of the result; without it `weights` say it,
    or the first half of the axes is taken. `chosen` is the index of a slice to frame; `hidden` keeps the numbers back.
    """
    array = np.asarray(J.detach() if hasattr(J, "detach") else J, float)
    v = None if weights is None else np.asarray(weights.detach() if hasattr(weights, "detach") else weights, float)
    first = outputs if outputs is not None else v.ndim if v is not None else array.ndim // 2
    result, into = array.shape[:first], array.shape[first:]
    if v is not None:
        weights_for(v, result)
    drawing = Grid(array, result, into, v, names, None if chosen is None else tuple(chosen), hidden)
    return canvas.picture_of(drawing.figure(), drawing.words())


class Grid:
    """Slices side by side, laid out as the result is."""

    def __init__(
        self,
        J: np.ndarray,
        result: tuple[int, ...],
        into: tuple[int, ...],
        weights: np.ndarray | None,
        names: Sequence[str],
        chosen: tuple[int, ...] | None,
        hidden: bool,
    ) -> None:
        self.J, self.result, self.into, self.weights = J, result, into, weights
        self.chosen, self.hidden = chosen, hidden
        self.y, self.x = names
        self.panels = [(index, flat(J[index])) for index in np.ndindex(*result)]
        self.down, self.across = flat(np.zeros(result)).shape
        self.total = None if weights is None else flat(np.tensordot(weights, J, axes=len(result)))
        values = [*J.flat, *([] if self.total is None else self.total.flat)]
        self.cell = max(0.34, 0.14 + widest([(canvas.number(value), 9) for value in values]))
        self.high = 0.3
        self.rows, self.columns = self.panels[0][1].shape
        self.head = 0.3 if weights is None else 0.5
        titles = [(self.title(index), 10) for index, _ in self.panels]
        self.wide = max(self.columns * self.cell, widest(titles))

    def title(self, index: Any) -> str:
        """The name of a slice."""
        return f"{self.y}{canvas.shape_text(index) if self.result else ''}"

    def figure(self) -> Any:
        """The drawing in inches: the slices, and to the right of an arrow their weighted sum."""
        stepx, stepy = self.wide + 0.3, self.rows * self.high + self.head + 0.18
        body = self.across * stepx - 0.3
        tail = 0.0 if self.total is None else 0.75 + max(self.wide, canvas.width_of(f"{self.x}.grad", 11))
        width, height = 2 * EDGE + body + tail, 2 * EDGE + self.down * stepy - 0.18
        figure, axes = canvas.sheet(width, height)
        most = np.abs(self.J).max()
        for place, (index, matrix) in enumerate(self.panels):
            row, column = divmod(place, self.across)
            x, top = EDGE + column * stepx, height - EDGE - row * stepy
            middle = x + self.columns * self.cell / 2
            canvas.write(axes, middle, top - 0.12, self.title(index), color=GREY)
            if self.weights is not None:
                weight = f"× {canvas.number(self.weights[index])}"
                canvas.write(axes, middle, top - 0.34, weight, color=INK, fontsize=11)
            self.matrix(axes, matrix, x, top - self.head, most, light=self.weights is None or bool(self.weights[index]))
            if index == self.chosen:
                self.frame(axes, x, top - self.head)
        if self.total is not None:
            self.draw_total(axes, EDGE + body, height / 2)
        return figure

    def matrix(self, axes: Any, matrix: np.ndarray, x: float, top: float, most: float, light: bool = True) -> None:
        """One slice: entries that are not zero in colour, zeros in grey."""
        for (row, column), value in np.ndenumerate(matrix):
            value = 0.0 if self.hidden else value  # nor does its colour tell
            text = "?" if self.hidden else canvas.number(value)
            corner = x + column * self.cell, top - (row + 1) * self.high
            face = shade(value, most, 1.0 if light else 0.2)
            frame: dict[str, Any] = {"facecolor": face, "edgecolor": "#BBBBBB", "linewidth": 0.6}
            axes.add_patch(Rectangle(corner, self.cell, self.high, **frame))
            style: dict[str, Any] = {"fontsize": 9, "color": "black" if value and light else FAINT}
            canvas.write(axes, corner[0] + self.cell / 2, corner[1] + self.high / 2, text, **style)

    def frame(self, axes: Any, x: float, top: float) -> None:
        """A frame around one slice."""
        corner = x - 0.04, top - self.rows * self.high - 0.04
        size = self.columns * self.cell + 0.08, self.rows * self.high + 0.08
        axes.add_patch(Rectangle(corner, *size, facecolor="none", edgecolor=VERMILLION, linewidth=2.5))

    def draw_total(self, axes: Any, x: float, middle: float) -> None:
        """The weighted sum of all slices."""
        assert self.total is not None
        canvas.write(axes, x + 0.36, middle, "→", fontsize=16)
        left, top = x + 0.66, middle + self.rows * self.high / 2
        canvas.write(axes, left + self.columns * self.cell / 2, top + 0.16, f"{self.x}.grad", fontsize=11, color=INK)
        self.matrix(axes, self.total, left, top, np.abs(self.total).max())

    def words(self) -> str:
        """The slices in words."""
        text = (
            f"The Jacobian of {self.y}, shape {canvas.shape_text(self.result)}, by {self.x}, shape "
            f"{canvas.shape_text(self.into)}: {len(self.panels)} slices of shape {canvas.shape_text(self.into)}. "
        )
        if self.hidden:
            text += "Their numbers are hidden."
        elif self.J.size <= 100:
            text += "; ".join(f"{self.title(index)}: {entries(self.J[index])}" for index, _ in self.panels) + "."
        if self.weights is not None and self.total is not None:
            total = self.total.reshape(self.into)
            text += f" Weighted with {canvas.said(self.weights)} they add up to {self.x}.grad = {canvas.said(total)}."
        return text


def marked(guess: Any, wrong: Sequence[tuple[int, ...]], title: str) -> Picture:
    """Numbers that somebody filled in, with the wrong ones crossed and framed."""
    array = np.asarray(guess, float)
    matrix = flat(array)
    is_wrong = np.zeros(array.shape, bool)
    for index in wrong:
        is_wrong[index] = True
    places = flat(is_wrong)
    wide, high = max(0.6, 0.3 + widest([(f"✗ {canvas.number(value)}", 11) for value in matrix.flat])), 0.4
    left = max(canvas.width_of(title, 10), matrix.shape[1] * wide)
    figure, axes = canvas.sheet(left + 2 * EDGE, matrix.shape[0] * high + 0.3 + 2 * EDGE)
    top = matrix.shape[0] * high + EDGE
    canvas.write(axes, EDGE, top + 0.18, title, ha="left", color=GREY)
    for (row, column), value in np.ndenumerate(matrix):
        bad = places[row, column]
        x, y = EDGE + column * wide, top - (row + 1) * high
        look: dict[str, Any] = {
            "facecolor": "#FBE3D6" if bad else "white",
            "edgecolor": VERMILLION if bad else "#999999",
        }
        axes.add_patch(Rectangle((x + 0.02, y + 0.02), wide - 0.04, high - 0.04, linewidth=2 if bad else 0.8, **look))
        text = f"✗ {canvas.number(value)}" if bad else canvas.number(value)
        canvas.write(axes, x + wide / 2, y + high / 2, text, fontsize=11)
    crossed = ", ".join(canvas.shape_text(index) for index in wrong)
    return canvas.picture_of(
        figure, f"{title}: {canvas.numbers(array)}. {f'Wrong at {crossed}' if wrong else 'All right'}."
    )


def flat(array: np.ndarray) -> np.ndarray:
    """An array as a matrix: one row if it has one axis, the first axes joined if it has more than two."""
    return array.reshape(1, -1) if array.ndim < 2 else array.reshape(-1, array.shape[-1])


def entries(matrix: np.ndarray) -> str:
    """The entries that are not zero, with their places."""
    found = [
        f"{canvas.number(value)} at {canvas.shape_text(index)}" for index, value in np.ndenumerate(matrix) if value
    ]
    return ", ".join(itertools.islice(found, 12)) or "all zero"
