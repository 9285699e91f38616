"""`secant`: the two runs of central differences move together; the secant meets the tangent, unless there is a kink."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

import minigrad
from minigrad.tensor import Tensor
from minigrad_course.pictures import canvas, svg
from minigrad_course.pictures.shown import Shown

EPSILONS = (1.0, 0.5, 0.25, 0.1, 0.01)
WIDE, HIGH, EDGE = 320, 230, 14  # pixels of one plot
Function = Callable[[Tensor], Tensor]
REACH = 1.5  # how far the curve goes to each side


def secant(functions: Mapping[str, tuple[Function, float]], epsilons: Sequence[float] = EPSILONS) -> Secant:
    """Central differences with smaller and smaller steps next to the slope from `backward`.

    `functions`: the name of a function -> the function of one number, and the point.
    """
    return Secant([Curve(name, program, at) for name, (program, at) in functions.items()], list(epsilons))


@dataclasses.dataclass
class Curve:
    """One function around one point, run on the engine."""

    name: str
    program: Function
    at: float

    def __post_init__(self) -> None:
        self.xs = np.linspace(self.at - REACH, self.at + REACH, 61)
        self.ys = np.array([self.run(x) for x in self.xs])
        x = minigrad.tensor(self.at, requires_grad=True)
        self.program(x).backward()
        self.slope = float(x.grad.item())
        room = 0.05 * (self.ys.max() - self.ys.min())
        self.low, self.high = self.ys.min() - room, self.ys.max() + room

    def run(self, x: float) -> float:
        """The function at a point, with the precision of Python's numbers."""
        return float(self.program(minigrad.tensor(float(x), dtype=minigrad.float64)).item())

    def difference(self, epsilon: float) -> float:
        """The slope of the secant: (f(x + ε) − f(x − ε)) / 2ε."""
        return (self.run(self.at + epsilon) - self.run(self.at - epsilon)) / (2 * epsilon)

    def pixel(self, x: float, y: float) -> list[float]:
        """A point of the plane as a place in the plot."""
        across = EDGE + (x - self.at + REACH) / (2 * REACH) * (WIDE - 2 * EDGE)
        down = EDGE + (self.high - y) / (self.high - self.low) * (HIGH - 2 * EDGE)
        return [round(float(across), 1), round(float(down), 1)]

    def line(self, slope: float, y: float) -> str:
        """A line through (at, y) with this slope, as far as the plot goes to each side."""
        ends = []
        for side in (-1, 1):
            room = (self.high - y if side * slope > 0 else y - self.low) / abs(slope) if slope else REACH
            reach = side * min(REACH, room)
            ends.append(self.pixel(self.at + reach, y + slope * reach))
        return path(ends)

    def frame(self, epsilon: float) -> dict[str, Any]:
        """The secant for one ε."""
        left, right = self.at - epsilon, self.at + epsilon
        slope = self.difference(epsilon)
        dots = [self.pixel(left, self.run(left)), self.pixel(right, self.run(right))]
        middle = (self.run(left) + self.run(right)) / 2
        return {"dots": dots, "secant": self.line(slope, middle), "slope": told(slope)}

    def data(self, epsilons: list[float]) -> dict[str, Any]:
        """As JSON: all of it in pixels, so that a view has nothing to compute."""
        frames = [self.frame(epsilon) for epsilon in epsilons]
        meets = abs(self.difference(epsilons[-1]) - self.slope) < 1e-3 * max(1.0, abs(self.slope))
        return {
            "name": self.name,
            "curve": path([self.pixel(x, y) for x, y in zip(self.xs, self.ys, strict=True)]),
            "tangent": self.line(self.slope, self.run(self.at)),
            "point": self.pixel(self.at, self.run(self.at)),
            "slope": told(self.slope),
            "frames": frames,
            "meets": meets,
        }


class Secant(Shown):
    """Secants of some functions, side by side."""

    view = "secant"

    def __init__(self, curves: list[Curve], epsilons: list[float]):
        self.curves, self.epsilons = curves, epsilons

    def data(self) -> dict[str, object]:
        return {
            "size": [WIDE, HIGH],
            "epsilons": [canvas.number(epsilon) for epsilon in self.epsilons],
            "curves": [curve.data(self.epsilons) for curve in self.curves],
        }

    def words(self) -> str:
        told_of = [
            f"{curve.name}: from {told(curve.difference(self.epsilons[0]))} to "
            f"{told(curve.difference(self.epsilons[-1]))}, and backward gives {told(curve.slope)}"
            for curve in self.curves
        ]
        first, last = canvas.number(self.epsilons[0]), canvas.number(self.epsilons[-1])
        return f"The slope of the secant as ε goes from {first} to {last}. {'; '.join(told_of)}."

    def still(self) -> str:
        gap = 28
        sheet = svg.Sheet(len(self.curves) * (WIDE + gap) - gap, HIGH + 48, self.words())
        for number, curve in enumerate(self.curves):
            data = curve.data(self.epsilons)
            frame = data["frames"][0]
            with sheet.moved(number * (WIDE + gap), 0):
                sheet.text(EDGE, 16, curve.name, 14, text_anchor="start", font_family=svg.MONO, font_weight=600)
                ends = f"secant {frame['slope']} for ε = {canvas.number(self.epsilons[0])}, tangent {data['slope']}"
                sheet.text(EDGE, 36, ends, 12, "soft", text_anchor="start")
            with sheet.moved(number * (WIDE + gap), 44):
                sheet.add("path", d=data["curve"], fill="none", stroke="ink", stroke_width=2)
                sheet.add("path", d=data["tangent"], stroke="done", stroke_width=2, stroke_dasharray="6 4")
                sheet.add("path", d=frame["secant"], stroke="flow", stroke_width=2)
                x, y = data["point"]
                sheet.add("circle", cx=x, cy=y, r=4, fill="ground", stroke="done", stroke_width=2)
                for x, y in frame["dots"]:
                    sheet.add("circle", cx=x, cy=y, r=5, fill="flow")
        return str(sheet)


def told(slope: float) -> str:
    """A slope, without float64's noise after the fifth digit."""
    return canvas.number(round(slope, 5))


def path(points: Sequence[Sequence[float]]) -> str:
    """Points as a path of straight lines."""
    return "M" + "L".join(f"{svg.short(x)},{svg.short(y)}" for x, y in points)
