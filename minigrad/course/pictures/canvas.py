"""What every picture is made of: SVG inside an `<img>` with words, colours, numbers as text, boxes around text.

JupyterLab shows such an `<img>` before anything is run, a screen reader can read its alternative text, and its bytes
are the same on every build. The background is white, so it can be read in the dark theme as well.
"""

from __future__ import annotations

import base64
import dataclasses
import functools
import html
import io
import logging
from typing import Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.textpath import TextPath

# On a new machine matplotlib lists the fonts first, and says so where a lesson's output stands.
logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)

# Okabe and Ito's colours, told apart by most colour-blind people
BLUE, GREEN, VERMILLION, ORANGE, SKY, PURPLE = "#0072B2", "#009E73", "#D55E00", "#E69F00", "#56B4E9", "#CC79A7"
GREY, PALE = "#555555", "#DDDDDD"
# Text needs more contrast than a line does: what VERMILLION says as a line, INK says as text, and FAINT counts less.
INK, FAINT = "#A84300", "#666666"
SERIES = (BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY)
STYLE: dict[Any, Any] = {
    "svg.hashsalt": "minigrad",
    "svg.fonttype": "path",
    "font.family": "DejaVu Sans",
    "font.size": 10,
}


@dataclasses.dataclass(frozen=True)
class Picture:
    """An SVG with its alternative text."""

    svg: bytes
    alt: str

    def _repr_html_(self) -> str:
        data = base64.b64encode(self.svg).decode("ascii")
        source = f"data:image/svg+xml;base64,{data}"
        return f'<img alt="{html.escape(self.alt)}" src="{source}" style="max-width: 100%">'

    def __repr__(self) -> str:
        return self.alt


def picture_of(figure: Figure, alt: str) -> Picture:
    """Any matplotlib figure as a picture. `alt` says what is to be seen, for those who do not see it."""
    buffer = io.BytesIO()
    with matplotlib.rc_context(STYLE):
        figure.savefig(buffer, format="svg", facecolor="white", metadata={"Date": None, "Creator": None})
    return Picture(buffer.getvalue(), alt)


def sheet(width: float, height: float) -> tuple[Figure, Any]:
    """A white figure of so many inches, and axes over all of it that are counted in inches."""
    figure = Figure(figsize=(width, height), facecolor="white")
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0), xlim=(0.0, width), ylim=(0.0, height))
    axes.set_axis_off()
    return figure, axes


# --- text ----------------------------------------------------------------------------------------


def number(value: Any) -> str:
    """A number as briefly as four digits allow."""
    return "" if value is None else f"{float(value) + 0.0:.4g}".replace("-", "−")  # + 0.0: no minus before a zero


def numbers(values: Any) -> str:
    """A number, or the numbers of an array in brackets."""
    array = np.asarray(values)
    return number(array) if array.ndim == 0 else f"[{', '.join(numbers(each) for each in array)}]"


def shape_text(shape: Any) -> str:
    """A shape as the course writes it: `[2, 3]`."""
    return f"[{', '.join(map(str, shape))}]"


def said(values: Any, limit: int = 16) -> str:
    """An array in words: its numbers if there are few of them, else its shape."""
    array = np.asarray(values)
    return numbers(array) if array.size <= limit else f"numbers of shape {shape_text(array.shape)}"


def rows(values: Any, columns: int = 5, limit: int = 4) -> list[str]:
    """An array as a few short lines; nothing if it is too large for that."""
    array = np.asarray(values)
    if array.ndim < 2:
        return [numbers(array)] if array.size <= columns else []
    if array.ndim > 2 or array.shape[0] > limit or array.shape[1] > columns:
        return []
    return [numbers(each) for each in array]


@functools.lru_cache(maxsize=4096)
def width_of(text: str, size: float) -> float:
    """The width of a line of text in inches."""
    with matplotlib.rc_context(STYLE):
        return TextPath((0, 0), text, size=size).get_extents().width / 72 if text.strip() else 0.0


def write(axes: Any, x: float, y: float, text: str, **settings: Any) -> Text:
    """A line of text, centred unless `settings` say otherwise."""
    wanted: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 10, "color": "black"}
    return axes.text(x, y, text, fontfamily="DejaVu Sans", parse_math=False, **{**wanted, **settings})
