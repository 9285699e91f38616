"""A plot's frame: from numbers to pixels, round numbers as ticks, names at the axes, and marks."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from minigrad_course.pictures import canvas, svg

MARKS = ("o", "s", "^", "d", "v", "x")
SHAPES = {
    "s": "m-4,-4h8v8h-8z",
    "^": "m0,-5.5l5,9h-10z",
    "d": "m0,-5.5l5,5.5l-5,5.5l-5,-5.5z",
    "v": "m0,5.5l5,-9h-10z",
}
ROUND = (1, 2, 2.5, 5, 10)  # the allowed steps between ticks, times a power of ten
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
AIR = 0.05  # of the width, between the outermost points and the frame


class Plot:
    """The place of a plot in a picture of so many pixels. A `base` other than 0 makes an axis logarithmic."""

    def __init__(
        self,
        size: tuple[float, float],
        across: tuple[float, float],
        up: tuple[float, float],
        bases: tuple[int, int] = (0, 0),
        tight: bool = False,
        names: Sequence[str] = (),
    ):
        self.size, self.bases, self.names = size, bases, names
        air = 0 if tight else AIR
        self.ranges = [
            stretched(scaled(low, base), scaled(high, base), air)
            for (low, high), base in zip((across, up), bases, strict=True)
        ]
        self.ticks = [ticks(*ends, base) for ends, base in zip(self.ranges, bases, strict=True)]
        self.wide = [svg.width_of(name, 13) + 58 for name in names]
        self.left = 34 + svg.widest([text for _, text in self.ticks[1]], 12)
        # A legend that is too wide for a line has a line for each name.
        self.column = sum(self.wide) > size[0] - self.left
        top = 20.0 + 20 * (len(names) if self.column else 1)
        self.frame = (self.left, top, size[0] - self.left - 12, size[1] - top - 52)

    def at(self, x: float, y: float) -> tuple[float, float]:
        """The pixels of a point."""
        left, top, width, height = self.frame
        places = []
        for value, (low, high), base in zip((x, y), self.ranges, self.bases, strict=True):
            places.append((scaled(value, base) - low) / (high - low))
        return left + places[0] * width, top + (1 - places[1]) * height

    def sheet(self, words: str, xlabel: str, ylabel: str, title: str) -> svg.Sheet:
        """The empty plot: ticks with their lines, names at the axes, and a title."""
        sheet = svg.Sheet(*self.size, words)
        left, top, width, height = self.frame
        bottom = top + height
        for place, text in self.ticks[0]:
            x = left + (place - self.ranges[0][0]) / (self.ranges[0][1] - self.ranges[0][0]) * width
            sheet.add("path", d=f"M{svg.short(x)},{svg.short(top)}V{svg.short(bottom)}", stroke="faint", stroke_width=1)
            sheet.text(x, bottom + 18, text, 12, "soft")
        for place, text in self.ticks[1]:
            y = bottom - (place - self.ranges[1][0]) / (self.ranges[1][1] - self.ranges[1][0]) * height
            line = f"M{svg.short(left)},{svg.short(y)}H{svg.short(left + width)}"
            sheet.add("path", d=line, stroke="faint", stroke_width=1)
            sheet.text(left - 7, y + 4, text, 12, "soft", text_anchor="end")
        axes = f"M{svg.short(left)},{svg.short(top)}V{svg.short(bottom)}H{svg.short(left + width)}"
        sheet.add("path", d=axes, fill="none", stroke="line", stroke_width=1)
        sheet.text(left + width / 2, self.size[1] - 12, xlabel, 13)
        turned = f"rotate(-90 14 {svg.short(top + height / 2)})"
        sheet.text(14, top + height / 2, ylabel, 13, transform=turned)
        if title:
            x = left if self.names else left + width / 2
            sheet.text(x, 20, title, 14, text_anchor="start" if self.names else "middle", font_weight=600)
        return sheet

    def legend(self, sheet: svg.Sheet, index: int) -> tuple[float, float]:
        """Write the name with this index above the plot; gives the place for a piece of its line, 28 wide."""
        x = self.left + self.frame[2] - (max(self.wide) if self.column else sum(self.wide[index:])) + 14
        y = 24.0 + 20 * (index if self.column else 0)
        sheet.text(x + 36, y, self.names[index], 13, text_anchor="start")
        return x, y - 5


def scaled(value: float, base: int) -> float:
    """A number on an axis: its logarithm, if the axis is logarithmic."""
    if not base:
        return float(value)
    return math.log(value, base) if value > 0 else math.nan


def stretched(low: float, high: float, air: float) -> tuple[float, float]:
    """The ends of an axis with some air."""
    room = air * (high - low) or (0.0 if high > low else max(abs(low), 1.0) * 0.5)
    return low - room, high + room


def ticks(low: float, high: float, base: int) -> list[tuple[float, str]]:
    """About five round places with their texts; on a logarithmic axis powers of its base."""
    if base:
        powers = list(range(math.ceil(low - 1e-9), math.floor(high + 1e-9) + 1))
        shown = powers[:: max(1, math.ceil(len(powers) / 7))]
        return [(float(power), power_text(base, power)) for power in shown]
    rough = (high - low) / 5
    ten = 10.0 ** math.floor(math.log10(rough))
    step = min((item * ten for item in ROUND), key=lambda item: abs(item - rough))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [(n * step, canvas.number(float(np.round(n * step, 12)))) for n in range(first, last + 1)]


def power_text(base: int, power: int) -> str:
    """A power as a number, or written as a power where the number would be long."""
    if (base == 2 and 0 <= power <= 16) or 0 <= power <= 4:
        return f"{base**power:,}"
    return f"{base}{str(power).translate(RAISED)}"


def mark(sheet: svg.Sheet, kind: str, x: float, y: float, colour: str, edge: str = "none") -> None:
    """A small mark: a circle, square, triangle, diamond, turned triangle or cross."""
    if kind == "o":
        sheet.add("circle", cx=x, cy=y, r=4.5, fill=colour, stroke=edge)
        return
    shapes = {
        "s": "m-4,-4h8v8h-8z",
        "^": "m0,-5.5l5,9h-10z",
        "d": "m0,-5.5l5,5.5l-5,5.5l-5,-5.5z",
        "v": "m0,5.5l5,-9h-10z",
    }
    if kind in shapes:
        sheet.add("path", d=f"M{svg.short(x)},{svg.short(y)}{shapes[kind]}", fill=colour, stroke=edge)
    else:
        sheet.add("path", d=f"M{svg.short(x - 4)},{svg.short(y - 4)}l8,8m0,-8l-8,8", stroke=colour, stroke_width=2)
