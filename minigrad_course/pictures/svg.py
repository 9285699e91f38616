"""What pictures are drawn with: transparent SVG, text as text, colours as CSS variables of the page.

A view puts a picture into the page, whose `--mg-…` decide the colours: `look.js` has those of both themes. Where no
theme is known, the colours stand here: each text can be read on white and on black.
"""

from __future__ import annotations

import contextlib
import functools
import html
import logging
import re
import textwrap
from collections.abc import Iterable, Iterator

import numpy as np
from matplotlib.font_manager import FontProperties
from matplotlib.path import Path
from matplotlib.textpath import TextPath

# On a new machine matplotlib lists the fonts first, and says so where a lesson's output stands.
logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)

COLOURS = {
    "ink": "#757575",
    "soft": "#757575",
    "line": "#757575",
    "faint": "rgba(128,128,128,.4)",
    "panel": "none",
    "ground": "none",
    "leaf": "#0a78cc",
    "flow": "#c55100",
    "done": "#0c8561",
    # Okabe and Ito's blue and vermillion, told apart by most colour-blind people; as numbers, because they get an alpha
    "plus": "0,114,178",
    "minus": "213,94,0",
}
DEEP = 0.1  # how much of a tint is left where no theme is known: more would hide the text on it
HALO = {"paint_order": "stroke", "stroke": "ground", "stroke_width": 4}  # keeps a line away from the text on it
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
WIDE = FontProperties(family="DejaVu Sans")
MONO = "ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace"
STYLE = (
    f"svg.mg-still{{{''.join(f'--{name}:var(--mg-{name},{value});' for name, value in COLOURS.items())}"
    f"--deep:var(--mg-deep,{DEEP});font-family:{FONT};font-variant-numeric:tabular-nums}}"
)


@functools.lru_cache(maxsize=4096)
def width_of(text: str, size: float) -> float:
    """The width of a line of text in pixels, as wide as any usual font makes it."""
    if not text.strip():
        return 0.0
    path = TextPath((0, 0), text, size=size, prop=WIDE)
    # Letters end at their points, and matplotlib's own measure of their curves takes ten times as long.
    return float(np.ptp(path.vertices[path.codes != Path.CLOSEPOLY, 0]))


def widest(texts: Iterable[str], size: float) -> float:
    """The width of the widest of some lines of text."""
    return max((width_of(text, size) for text in texts), default=0.0)


class Sheet:
    """An SVG that grows by one shape after another."""

    def __init__(self, width: float, height: float, words: str):
        self.width, self.height, self.words = width, height, words
        self.parts: list[str] = []

    def add(self, tag: str, content: str | None = None, **attributes: object) -> None:
        """A shape; `stroke_width=2` becomes `stroke-width="2"`, and a colour's name its variable."""
        written = "".join(f' {name.replace("_", "-")}="{attribute(value)}"' for name, value in attributes.items())
        self.parts.append(
            f"<{tag}{written}/>" if content is None else f"<{tag}{written}>{html.escape(content)}</{tag}>"
        )

    @contextlib.contextmanager
    def moved(self, x: float, y: float) -> Iterator[None]:
        """What is added in the block stands this far to the right and down."""
        self.parts.append(f'<g transform="translate({short(x)},{short(y)})">')
        yield
        self.parts.append("</g>")

    def text(
        self, x: float, y: float, content: str, size: float = 13, colour: str = "ink", **attributes: object
    ) -> None:
        """A line of text, centred unless `text_anchor` says otherwise."""
        settings = {"text_anchor": "middle", "font_size": size, "fill": colour, **attributes}
        self.add("text", content, x=x, y=y, **settings)

    def rectangle(self, x: float, y: float, width: float, height: float, **attributes: object) -> None:
        """A rectangle with slightly round corners."""
        self.add("rect", None, x=x, y=y, width=width, height=height, **{"rx": 3, **attributes})

    @property
    def size(self) -> str:
        """How large it is, as attributes."""
        width, height = short(self.width), short(self.height)
        return f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'

    def __str__(self) -> str:
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="mg-still" role="img" {self.size}>'
            f"<title>{html.escape(self.words)}</title><style>{STYLE}</style>{''.join(self.parts)}</svg>"
        )


def with_line(picture: str, text: str) -> str:
    """A picture of a Sheet with a line of text below it, broken where the picture is too narrow for it."""
    size = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)" width="[\d.]+" height="[\d.]+"', picture)
    assert size is not None
    width, height = (float(group) for group in size.groups())
    width = max(width, 300.0)
    lines = textwrap.wrap(text, int(len(text) * width / (width_of(text, 12) + 12)) - 4)
    whole = Sheet(width, height + 18 * len(lines) + 8, "")
    for number, line in enumerate(lines, start=1):
        whole.text(2, height + 4 + 18 * number, line, 12, "soft", text_anchor="start")
    return picture.replace(size.group(), whole.size).replace("</svg>", "".join([*whole.parts, "</svg>"]))


def attribute(value: object) -> str:
    """An attribute's text."""
    if isinstance(value, (int, float)):
        return short(value)
    if value in COLOURS:
        return f"var(--{value})"
    return html.escape(str(value))


def tint(value: float, most: float, strongest: float = 0.42) -> str:
    """The colour of a contribution: blue above zero, vermillion below. The root keeps a small one visible."""
    alpha = strongest * (abs(value) / most) ** 0.5 if most else 0.0
    return f"rgba(var(--{'minus' if value < 0 else 'plus'}),calc({alpha:.3f}*var(--deep)))"


def short(value: float) -> str:
    """A number of pixels with one decimal at most."""
    return f"{value:.1f}".removesuffix(".0")
