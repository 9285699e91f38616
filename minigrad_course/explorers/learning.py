"""`training`: a training step by step: the boundary, the loss, how often each part ran, and another engine beside."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections import Counter
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike

import minigrad
from minigrad.nn import Module
from minigrad_course.chapters.calls import counting, spots
from minigrad_course.explorers.secants import path
from minigrad_course.pictures import canvas, svg
from minigrad_course.pictures.curves import plain
from minigrad_course.pictures.shown import MEASURED, Shown

SIDE, CELLS, LEVELS = 320, 40, 8  # pixels of the plane, cells of its grid, and shades of a cell
WIDE, HIGH, LEFT, EDGE = 390, 118, 74, 10  # pixels of a plot, of its ticks' place, and around the curves
STROKES, DASHES = ("leaf", "flow", "done", "ink"), ("none", "7 3", "2 3", "none")
HUGE = 1e4  # a number from which on its digits say less than its power of ten
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

Program = Callable[[ModuleType], tuple[Module, Callable[[], float]]]


def training(
    program: Program,
    points: ArrayLike,
    labels: ArrayLike,
    beside: ModuleType,
    last: int = 160,
    every: int = 5,
    start: int = 0,
) -> Training:
    """Train a classifier of the plane on minigrad and on another engine, and record it every `every` steps.

    `program(engine)` gives (model, step). The model takes [n, 2] and gives [n, 1], positive for class 1 and negative
    for 0, or [n, 2], a score for each. `step()` makes one step of training, leaves its gradients in `.grad`, and
    returns the loss before it, a number. ValueError if a loss or a gradient is not finite.
    """
    return Training(program, Ground(points, labels), beside, last, every, start)


@dataclasses.dataclass(frozen=True)
class Plot:
    """Curves over the steps: name -> a number for each step."""

    title: str
    curves: dict[str, list[float]]
    log: bool = False
    scientific: bool = False

    @property
    def ticks(self) -> list[float]:
        """Some round numbers, the first and last of which hold all curves between them."""
        values = [value for curve in self.curves.values() for value in curve]
        if self.log:
            low, high = (round_off(math.log10(max(item, 1e-300))) for round_off, item in limits(values))
            return [10.0**power for power in range(low, high + 1, max(1, (high - low) // 4))]
        return (
            [float(value) for value in MaxNLocator(3).tick_values(min(values), max(values))] if any(values) else [0.0]
        )

    def down(self, value: float) -> float:
        """How far from the top a number lies, in pixels."""
        scale = (lambda item: math.log10(max(item, 1e-300))) if self.log else float
        low, high = scale(self.ticks[0]), scale(self.ticks[-1])
        share = (scale(value) - low) / (high - low) if high > low else 0.5
        return round(EDGE + (1 - share) * (HIGH - 2 * EDGE), 1)

    def across(self, step: int) -> float:
        """How far from the left a step lies, in pixels."""
        count = len(next(iter(self.curves.values())))
        return round(LEFT + step / max(count - 1, 1) * (WIDE - LEFT - EDGE), 1)

    def text(self, value: float) -> str:
        """A number of a curve."""
        return raised(value) if self.scientific else short(value)

    def data(self, steps: Sequence[int]) -> dict[str, Any]:
        """As JSON, in pixels: the curves whole, and a dot with its number for each of the steps."""
        return {
            "title": self.title,
            "size": [WIDE, HIGH],
            "left": LEFT,
            "ticks": [[self.down(tick), raised(tick) if self.log else self.text(tick)] for tick in self.ticks],
            "at": [self.across(step) for step in steps],
            "curves": [
                {
                    "name": name,
                    "path": path([(self.across(step), self.down(value)) for step, value in enumerate(values)])
                    if values
                    else "",
                    "dots": [self.down(values[step]) if step < len(values) else None for step in steps],
                    "texts": [self.text(values[step]) if step < len(values) else "—" for step in steps],
                }
                for name, values in self.curves.items()
            ],
        }


def limits(values: Sequence[float]) -> list[tuple[Callable[[float], int], float]]:
    """The smallest number, to be rounded down, and the largest, to be rounded up."""
    return [(math.floor, min(values)), (math.ceil, max(values))]


def raised(value: float) -> str:
    """4·10⁻¹⁶."""
    if not value:
        return "0"
    digits, power = f"{value:.1e}".split("e")
    digits = digits.removesuffix(".0").replace("-", "−")
    factor = {"1": "", "−1": "−"}.get(digits, f"{digits}·")
    return f"{factor}10{str(int(power)).translate(RAISED)}"


class Ground:
    """The plane of the points of both classes, as a square of `side` pixels and a grid of so many cells."""

    def __init__(self, points: ArrayLike, labels: ArrayLike, cells: int = CELLS, side: int = SIDE):
        self.points, self.labels = plain(points), plain(labels).reshape(-1)
        self.cells, self.side = cells, side
        low, high = self.points.min(axis=0) - 0.3, self.points.max(axis=0) + 0.3
        self.low, self.wide = low, high - low
        middles = (np.arange(cells) + 0.5) / cells
        columns, rows = np.meshgrid(middles, 1 - middles)  # the first row is the highest
        self.plane = np.stack([columns, rows], axis=-1).reshape(-1, 2) * self.wide + low

    def asked(self, model: Module) -> tuple[np.ndarray, int]:
        """What a model says of each cell, positive for class 1; and how many points lie on the wrong side."""
        asked = minigrad.tensor(np.vstack([self.plane, self.points])).to(next(iter(model.parameters())).dtype)
        with minigrad.no_grad():
            scores = plain(model(asked))
        scores = scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores.reshape(-1)
        wrong = int(np.sum((scores[len(self.plane) :] > 0) != (self.labels == 1)))
        return scores[: len(self.plane)].reshape(self.cells, self.cells), wrong

    def pixels(self, points: np.ndarray) -> np.ndarray:
        """Points of the plane in pixels."""
        share = (points - self.low) / self.wide
        return np.stack([share[:, 0], 1 - share[:, 1]], axis=-1) * self.side

    def boundary(self, scores: np.ndarray) -> str:
        """Where the network says 0, as a path."""
        middles = (np.arange(self.cells) + 0.5) * self.side / self.cells
        if not scores.min() < 0 < scores.max():
            return ""
        result = Figure().add_subplot().contour(middles, middles, scores, levels=[0]).get_paths()[0]
        return "".join(path(np.asarray(line).tolist()) for line in result.to_polygons(closed_only=False))

    def data(self) -> dict[str, object]:
        """As JSON: the size, and the points of each class as a path."""
        points = [path_of(self.pixels(self.points[self.labels == kind]), kind) for kind in (0, 1)]
        return {"side": self.side, "cells": self.cells, "levels": LEVELS, "points": points}

    def frame(self, scores: np.ndarray) -> dict[str, object]:
        """What a model says, as JSON: a shade for each cell, and the boundary."""
        shades = "".join(str(item) for item in shades_of(scores).reshape(-1))
        return {"shades": shades, "boundary": self.boundary(scores)}


class Watched:
    """A training on minigrad, and what was to be seen after some of its steps."""

    def __init__(self, program: Program, ground: Ground, steps: Sequence[int]):
        self.program, self.ground, self.steps = program, ground, steps
        self.losses: list[float] = []
        self.norms: list[list[float]] = []
        self.scores: list[np.ndarray] = []
        self.wrong: list[int] = []
        self.calls: list[Counter[str]] = []

    def train(self) -> None:
        """Go all the steps. ValueError if a loss or a gradient is no finite number."""
        with counting() as calls:
            model, step = self.program(minigrad)
            for count in range(self.steps[-1] + 1):
                if count in self.steps:
                    self.calls.append(calls.copy())
                    self.look(model)
                    calls.clear()  # looking does not count
                    calls.update(self.calls[-1])
                self.note(count, model, step())

    def look(self, model: Module) -> None:
        """Record what the model predicts for the plane."""
        scores, wrong = self.ground.asked(model)
        self.scores.append(scores)
        self.wrong.append(wrong)

    def note(self, count: int, model: Module, loss: float) -> None:
        """Keep the loss after so many steps, and the gradients there."""
        grads = [
            parameter.grad for parameter in model.parameters() if parameter.dim() == 2 and parameter.grad is not None
        ]
        norms = [float(np.linalg.norm(grad.numpy())) for grad in grads]  # by numpy: looking does not count
        if not all(map(math.isfinite, [loss, *norms])):
            raise ValueError(f"At step {count} the loss is {loss}, and the gradient norms are {norms}.")
        self.losses.append(loss)
        self.norms.append(norms)

    def told(self, number: int) -> str:
        """A step in words."""
        step = self.steps[number]
        steps = "1 step" if step == 1 else f"{step} steps"
        return f"After {steps} the loss is {short(self.losses[step])}, and {self.misses(number)} lie on the wrong side."

    def misses(self, number: int) -> str:
        """How many points lie on the wrong side."""
        return f"{self.wrong[number]} of {len(self.ground.points)} points"


def short(value: float) -> str:
    """A number with three digits, or fewer and a power of ten."""
    return raised(value) if abs(value) >= HUGE else canvas.number(float(f"{value:.3g}"))


class Training(Shown):
    """A recorded training."""

    view = "training"

    def __init__(self, program: Program, ground: Ground, beside: ModuleType, last: int, every: int, start: int):
        self.ground = ground
        self.steps = list(range(0, last + 1, every))
        self.start = self.steps.index(start)
        self.ours = Watched(program, ground, self.steps)
        self.ours.train()
        self.spots = [spot for spot in spots() if self.ours.calls[-1][spot.part]]
        _, step = program(beside)
        self.theirs = [step() for _ in range(last + 1)]

    @property
    def plots(self) -> list[Plot]:
        """What is the same on every machine."""
        layers = {f"layer {n}": list(norms) for n, norms in enumerate(zip(*self.ours.norms, strict=True), start=1)}
        return [Plot("loss", {"loss": self.ours.losses}), Plot("gradient norm", layers, log=True)]

    @property
    def difference(self) -> Plot:
        """The loss on minigrad minus that on the other engine: rounding, another one on each kind of processor."""
        results = [ours - theirs for ours, theirs in zip(self.ours.losses, self.theirs, strict=True)]
        return Plot("loss, minigrad − torch", {"difference": results}, scientific=True)

    def data(self) -> dict[str, object]:
        difference = self.difference
        (values,) = difference.curves.values()
        zeros = sum(not value for value in values)
        most = max(map(abs, values))
        return {
            **self.ground.data(),
            "start": self.start,
            "parts": [{"name": spot.label, "whose": spot.whose} for spot in self.spots],
            "plots": [plot.data(self.steps) for plot in self.plots],
            "frames": [self.frame(number) for number in range(len(self.steps))],
            MEASURED: {
                "plot": difference.data(self.steps),
                "say": f"Exactly 0 at {zeros} of {len(values)} steps, and never more than {raised(most)}.",
            },
        }

    def frame(self, number: int) -> dict[str, object]:
        """The plane after so many steps, how often each part had run by then, and a sentence."""
        return {
            "name": f"{self.steps[number]} of {self.steps[-1]}",
            **self.ground.frame(self.ours.scores[number]),
            "calls": [self.ours.calls[number][spot.part] for spot in self.spots],
            "say": self.ours.told(number),
        }

    def words(self) -> str:
        close = "less than 10⁻⁹" if max(map(abs, self.difference.curves["difference"])) < 1e-9 else "more than 10⁻⁹"
        told = f"{self.ours.told(0)} {self.ours.told(-1)} {self.counted}"
        return f"A training on minigrad. {told} The losses of the other engine differ by {close}."

    @property
    def counted(self) -> str:
        """The part that ran most often, in words; nothing if no part ran."""
        calls = self.ours.calls[-1]
        most = max(self.spots, key=lambda item: calls[item.part], default=None)
        return f"{len(self.spots)} parts ran, {most.label} {calls[most.part]:,} times." if most else "No part ran."

    def still(self) -> str:
        sheet = svg.Sheet(SIDE + 30 + WIDE, max(SIDE + 26, len(self.plots) * (HIGH + 30)), self.words())
        sheet.text(0, 14, self.ours.told(self.start), 13, text_anchor="start")
        with sheet.moved(0, 24):
            draw_plane(sheet, self.ground, self.ours.scores[self.start])
        for number, plot in enumerate(self.plots):
            with sheet.moved(SIDE + 30, 30 + number * (HIGH + 30)):
                draw_plot(sheet, plot, self.steps[self.start])
        return str(sheet)


# --- the plane -----------------------------------------------------------------------------------


def shades_of(scores: np.ndarray) -> np.ndarray:
    """The probability of class 1 in so many levels, 0 the surest of class 0."""
    chances = 1 / (1 + np.exp(-np.clip(scores, -30, 30)))
    return np.minimum((chances * LEVELS).astype(int), LEVELS - 1)


def path_of(points: np.ndarray, kind: int) -> str:
    """Points as one path: circles for class 0, triangles for class 1."""
    form = "m-4.5,3.5l4.5,-8l4.5,8z" if kind else "m-4,0a4,4 0 1 0 8,0a4,4 0 1 0 -8,0z"
    return "".join(f"M{svg.short(x)},{svg.short(y)}{form}" for x, y in points)


def draw_plane(sheet: svg.Sheet, ground: Ground, scores: np.ndarray) -> None:
    """The plane as a model divides it, and the points."""
    shades, cell = shades_of(scores), ground.side / ground.cells
    for level in range(LEVELS):
        runs = []
        for row, line in enumerate(shades == level):
            column = 0
            for same, group in itertools.groupby(line.tolist()):
                width = len(list(group))
                if same:
                    place = f"M{svg.short(column * cell)},{svg.short(row * cell)}"
                    runs.append(f"{place}h{svg.short(width * cell)}v{svg.short(cell)}h{svg.short(-width * cell)}z")
                column += width
        if runs:
            sheet.add("path", d="".join(runs), fill=svg.tint((LEVELS - 1) / 2 - level, LEVELS / 2))
    sheet.add("path", d=ground.boundary(scores), fill="none", stroke="ink", stroke_width=1.8)
    for kind, colour in enumerate(("leaf", "flow")):
        mine = ground.pixels(ground.points[ground.labels == kind])
        sheet.add("path", d=path_of(mine, kind), fill=colour, stroke="ground", stroke_width=0.8)


def draw_plot(sheet: svg.Sheet, plot: Plot, step: int) -> None:
    """Curves with their ticks, and a line at a step."""
    data = plot.data([step])
    (across,) = data["at"]
    sheet.text(LEFT, 2, plot.title, 12.5, "soft", text_anchor="start")
    for down, text in data["ticks"]:
        sheet.add("path", d=f"M{LEFT},{down}H{WIDE - EDGE}", stroke="faint")
        sheet.text(LEFT - 6, down + 4, text, 12, "soft", text_anchor="end")
    sheet.add("path", d=f"M{across},{EDGE}V{HIGH - EDGE}", stroke="ink", stroke_dasharray="3 4")
    for number, curve in enumerate(data["curves"]):
        colour = STROKES[number % len(STROKES)]
        dashes = DASHES[number % len(DASHES)]
        sheet.add("path", d=curve["path"], fill="none", stroke=colour, stroke_width=1.8, stroke_dasharray=dashes)
        sheet.add("circle", cx=across, cy=curve["dots"][0], r=4, fill=colour)
        if len(data["curves"]) > 1:
            right = WIDE - EDGE - 52 * (len(data["curves"]) - number - 1)
            sheet.text(right, 2, curve["name"], 11.5, colour, text_anchor="end")
