"""`reach`: which entries of a result an entry of an input reaches, and what comes back to it from them.

One picture for broadcasting (one entry, several copies), indexing and matmul (one entry of C, its row and its column).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypedDict

import numpy as np
from numpy.typing import ArrayLike

import minigrad
from minigrad.tensor import Tensor
from minigrad_course.explorers.weights import number, numbers
from minigrad_course.pictures import canvas, jacobians, svg
from minigrad_course.pictures.shown import Shown

MOST = 36  # entries of each matrix
CELL, HIGH, AIR, BETWEEN = 50, 36, 34, 96  # pixels


def reach(program: Callable[..., Tensor], v: ArrayLike, result: str = "y", **inputs: ArrayLike) -> Reach:
    """The entries of the inputs next to those of the result, with an upstream gradient `v` for each result entry.

    `program` is a function of the inputs, which are lists of numbers. Two entries are linked where the derivative is
    not 0, so let no factor be 0.
    """
    arrays = {name: np.asarray(value, np.float32) for name, value in inputs.items()}
    tensors = {name: minigrad.tensor(value.tolist()) for name, value in arrays.items()}
    output = np.array(program(**tensors)._array)
    slopes = {}
    for name in arrays:
        J, _ = jacobians.jacobian_of(lambda x, name=name: program(**{**tensors, name: x}), arrays[name])
        slopes[name] = J.reshape(output.size, -1)
    if max(output.size, *(array.size for array in arrays.values())) > MOST:
        raise ValueError(f"The result and each input may have {MOST} entries at most.")
    return Reach(arrays, output, jacobians.weights_for(v, output.shape), slopes, result)


class Grid(TypedDict):
    """One matrix: its entries with their labels, and the top left corners of their cells."""

    name: str
    title: str
    labels: list[str]
    values: list[str]
    cells: list[list[float]]
    bottom: float


class Reach(Shown):
    """Inputs to the left, the result to the right, and what lies between them."""

    view = "reach"

    def __init__(
        self,
        inputs: dict[str, np.ndarray],
        output: np.ndarray,
        v: np.ndarray,
        slopes: dict[str, np.ndarray],
        result: str,
    ):
        self.inputs, self.output, self.v, self.slopes, self.result = inputs, output, v, slopes, result
        self.grids = self.placed()

    def placed(self) -> list[Grid]:
        """Every matrix with its cells in pixels: the inputs below one another, the result next to them."""
        grids = []
        widest = max(jacobians.flat(value).shape[1] for value in self.inputs.values()) * CELL
        down = 0.0
        for name, values in self.inputs.items():
            grids.append(grid(name, values, 0, down))
            down = grids[-1]["bottom"] + AIR
        high = jacobians.flat(self.output).shape[0] * HIGH
        top = max(0.0, (down - AIR - 22 - high) / 2)
        grids.append(grid(self.result, self.output, widest + BETWEEN, top))
        return grids

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the whole."""
        return (
            max(x + CELL for item in self.grids for x, _ in item["cells"]) + 2,
            max(item["bottom"] for item in self.grids) + 2,
        )

    def data(self) -> dict[str, object]:
        links = [
            [which, int(entry), int(out), number(slope[out, entry])]
            for which, slope in enumerate(self.slopes.values())
            for out, entry in np.argwhere(slope)
        ]
        return {
            "size": [number(item) for item in self.size],
            "cell": [CELL, HIGH],
            "grids": [
                {key: item[key] for key in ("name", "title", "labels", "values", "cells")} for item in self.grids
            ],
            "links": links,
            "v": numbers(self.v),
        }

    def words(self) -> str:
        grads = [
            f"{name}.grad = {canvas.said((self.v @ self.slopes[name]).reshape(values.shape))}"
            for name, values in self.inputs.items()
        ]
        shape = canvas.shape_text(self.output.shape)
        v = canvas.said(self.v.reshape(self.output.shape))
        return f"{self.result}, shape {shape}, with the upstream gradient {v}. Back come {' and '.join(grads)}."

    def still(self) -> str:
        sheet = svg.Sheet(*self.size, self.words())
        *inputs, result = self.grids
        for which, slope in enumerate(self.slopes.values()):
            for out, entry in np.argwhere(slope):
                (x0, y0), (x1, y1) = inputs[which]["cells"][entry], result["cells"][out]
                line = f"M{svg.short(x0 + CELL)},{svg.short(y0 + HIGH / 2)}L{svg.short(x1)},{svg.short(y1 + HIGH / 2)}"
                sheet.add("path", d=line, fill="none", stroke="faint", stroke_width=1)
        for item in self.grids:
            sheet.text(item["cells"][0][0], item["cells"][0][1] - 8, item["title"], 13, "soft", text_anchor="start")
            for (x, y), value in zip(item["cells"], item["values"], strict=True):
                sheet.rectangle(x + 2, y + 2, CELL - 4, HIGH - 4, rx=6, fill="panel", stroke="line")
                sheet.text(x + CELL / 2, y + HIGH / 2 + 5, value, 14)
        return str(sheet)


def grid(name: str, values: np.ndarray, x: float, top: float) -> Grid:
    """One matrix: its entries with their labels and the top left corners of their cells."""
    matrix = jacobians.flat(values)
    cells = [[x + column * CELL, top + 22 + row * HIGH] for row, column in np.ndindex(*matrix.shape)]
    return {
        "name": name,
        "title": f"{name}, shape {canvas.shape_text(values.shape)}",
        "labels": jacobians.labels(name, values.shape),
        "values": [canvas.number(item) for item in matrix.reshape(-1)],
        "cells": cells,
        "bottom": top + 22 + matrix.shape[0] * HIGH,
    }
