"""`sides`: vᵀJ next to Jw; each entry of the two results highlights what contributes to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from minigrad.tensor import Tensor
from minigrad_course.explorers.weights import numbers
from minigrad_course.pictures import canvas, jacobians, svg
from minigrad_course.pictures.shown import Shown

MOST = 6  # rows and columns
WIDE, HIGH = 64, 44  # pixels of a cell


def sides(
    program: Callable[..., Tensor], x: ArrayLike, v: ArrayLike, w: ArrayLike, names: Sequence[str] = ("y", "x")
) -> Sides:
    """Weigh the rows of the Jacobian of `program` at `x` with v, and its columns with the direction w."""
    J, into = jacobians.jacobian_of(program, x)
    result = J.shape[: J.ndim - len(into)]
    weights, direction = jacobians.weights_for(v, result), np.asarray(w, float)
    if direction.shape != into:
        raise ValueError(f"w has the shape {list(direction.shape)}, and {names[1]} {list(into)}: they have to agree.")
    return Sides(np.asarray(J, float).reshape(weights.size, -1), weights, direction.reshape(-1), (result, into), names)


class Sides(Shown):
    """A Jacobian with weights at its side and above it, and both products."""

    view = "sides"

    def __init__(
        self,
        J: np.ndarray,
        v: np.ndarray,
        w: np.ndarray,
        shapes: tuple[tuple[int, ...], tuple[int, ...]],
        names: Sequence[str],
    ):
        if max(J.shape) > MOST:
            raise ValueError(f"The Jacobian has {J.shape[0]} rows and {J.shape[1]} columns; {MOST} can be shown.")
        self.J, self.v, self.w, self.names = J, v, w, tuple(names)
        self.rows, self.columns = (jacobians.labels(name, shape) for name, shape in zip(names, shapes, strict=True))

    def data(self) -> dict[str, object]:
        return {
            "J": numbers(self.J),
            "v": numbers(self.v),
            "w": numbers(self.w),
            "rows": self.rows,
            "columns": self.columns,
            "input": self.names[1],
            "result": self.names[0],
        }

    def words(self) -> str:
        back, forth = canvas.numbers(self.v @ self.J), canvas.numbers(self.J @ self.w)
        return (
            f"vᵀJ weighs the rows with v = {canvas.numbers(self.v)}: {back}, of the shape of {self.names[1]}. "
            f"Jw weighs the columns with w = {canvas.numbers(self.w)}: {forth}, of the shape of {self.names[0]}."
        )

    def still(self) -> str:
        down, across = self.J.shape
        left, top = 70, 64
        back, forth = self.v @ self.J, self.J @ self.w
        sheet = svg.Sheet(left + across * WIDE + 110, top + down * HIGH + 64, self.words())
        sheet.text(left - 34, top - 12, "v", 14, "leaf", font_weight=600)
        sheet.text(left - 34, top - 40, "w", 14, "done", font_weight=600)
        for column in range(across):
            middle = left + (column + 0.5) * WIDE
            sheet.text(middle, top - 40, canvas.number(self.w[column]), 14, "done")
            sheet.text(middle, top - 12, self.columns[column], 12, "soft")
            sheet.text(middle, top + down * HIGH + 32, canvas.number(back[column]), 16, "leaf", font_weight=600)
        for row in range(down):
            middle = top + (row + 0.5) * HIGH + 5
            sheet.text(left - 34, middle, canvas.number(self.v[row]), 14, "leaf")
            sheet.text(left + across * WIDE + 46, middle, canvas.number(forth[row]), 16, "done", font_weight=600)
            for column in range(across):
                x, y = left + column * WIDE, top + row * HIGH
                sheet.rectangle(x + 2, y + 2, WIDE - 4, HIGH - 4, rx=6, fill="none", stroke="faint")
                sheet.text(x + WIDE / 2, middle, canvas.number(self.J[row, column]), 15)
        sheet.text(left - 34, top + down * HIGH + 32, "vᵀJ", 15, "leaf", font_weight=600)
        sheet.text(left + across * WIDE + 46, top - 12, "Jw", 15, "done", font_weight=600)
        return str(sheet)
