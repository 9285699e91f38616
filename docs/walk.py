"""Write the moving picture of the README: a small program forward, then backward, share by share.

    python docs/walk.py [--check]

minigrad computes every number in `docs/walk-light.svg` and `docs/walk-dark.svg`, and the layout is that of the lessons'
explorer. The pictures move by CSS alone, and begin with their end. Where nothing moves, or somebody wants less motion,
they show the end. So do `…-still.svg`: not every browser tells a picture what somebody wants. `…-narrow.svg` is for
telephones.
"""

from __future__ import annotations

import argparse
import html
import itertools
import re
import textwrap
from pathlib import Path
from typing import Any

from minigrad.tensor import Tensor
from minigrad_course.explorers import walk
from minigrad_course.notebooks import pages
from minigrad_course.pictures.svg import FONT, MONO, short, width_of

DOCS = Path(__file__).parent
THEMES = ("light", "dark")
FORMS = ("", "-still", "-narrow", "-narrow-still")
GROUNDS = {"light": "#ffffff", "dark": "#0d1117"}  # GitHub's own

SOURCE = "m = a * b; s = m + b; f = s * c"
VALUES = {"a": 4.0, "b": 3.0, "c": 0.5}
BEGIN, FORWARD, SEED, BACKWARD, END = 0.8, 0.6, 0.9, 1.5, 2.6  # seconds: the start, each kind of step, and the end
FIRST = 2.0  # seconds of the end that come before the start: a glance is to show what it is about
MARGIN, TOP, BOTTOM = 12, 72, 62  # around the graph, in pixels
BELOW = 78  # in a narrow picture, instead of BOTTOM
SPREAD, SHIFT, WIDTH, LIFT = 1.25, -8, 306, 6  # there: how far boxes are moved apart, and the graph with its labels
SCALE = 1.3  # the graph, beside the explorer's
LABEL = 12.5  # sizes of text
SAID = 18


def spread(layout: dict[str, Any]) -> dict[str, Any]:
    """A layout whose boxes stand further apart, so that a label has room on its own side of an arrow."""
    _, top, _, height = min(layout["boxes"], key=lambda box: box[1])
    row = min(y for _, y, _, _ in layout["boxes"] if y > top) - top

    def across(x: float) -> float:
        return SPREAD * x + SHIFT

    def down(y: float) -> float:
        whole, rest = divmod(y - top, row)
        return y + LIFT * (whole + max(0.0, rest - height) / (row - height))

    def moved(path: str) -> str:
        return re.sub(
            r"([\d.]+),([\d.]+)", lambda at: f"{short(across(float(at[1])))},{short(down(float(at[2])))}", path
        )

    return {
        "width": WIDTH,
        "height": down(layout["height"] - 4) + 4,
        "boxes": [
            [across(x + width / 2) - width / 2, down(y), width, height] for x, y, width, height in layout["boxes"]
        ],
        "paths": [moved(path) for path in layout["paths"]],
        "ends": [[across(x0), down(y0), across(x1), down(y1)] for x0, y0, x1, y1 in layout["ends"]],
    }


def program(a: Tensor, b: Tensor, c: Tensor) -> Tensor:
    """The program of the picture, `SOURCE`."""
    m = a * b
    s = m + b
    return s * c


def colours(theme: str) -> dict[str, str]:
    """The colours that the explorers have on a light or a dark page."""
    text = (pages.STATIC / "look.js").read_text(encoding="utf-8")
    found = re.search(rf"export const {theme.upper()} = {{(.*?)}};", text, re.DOTALL)
    assert found is not None
    return dict(re.findall(r'(\w+): "([^"]*)"', found[1])) | {"ground": GROUNDS[theme]}


class Film:
    """Shapes, and when each of them is to be seen. `until` None: to the end, and where nothing moves."""

    def __init__(self, seconds: float):
        self.seconds = seconds
        self.parts: list[str] = []
        self.rules: dict[str, str] = {}

    def percent(self, second: float) -> str:
        """A moment as a part of the whole."""
        return f"{round(100 * second / self.seconds, 2):g}%"

    def seen(self, since: float, until: float | None = None) -> str:
        """The class of what is seen in an interval."""
        name = f"s{round(since * 10)}" + (f"-{round(until * 10)}" if until is not None else "")
        stops = [f"0%,{self.percent(since)}{{opacity:0}}", f"{self.percent(since + 0.3)}"]
        if until is None:
            stops[1] += ",100%{opacity:1}"
        else:
            stops[1] += f",{self.percent(until - 0.2)}{{opacity:1}}{self.percent(until)},100%{{opacity:0}}"
        self.rules[name] = "".join(stops)
        return name if until is None else f"{name} passing"

    def growing(self, since: float, seconds: float, back: bool) -> str:
        """The class of a line that grows, from its beginning or, `back`, from its end."""
        name = f"g{round(since * 10)}{'b' if back else ''}"
        before, after = ("-1" if back else "1"), "0"
        self.rules[name] = (
            f"0%,{self.percent(since)}{{stroke-dashoffset:{before};opacity:0}}"
            f"{self.percent(since + 0.01)}{{stroke-dashoffset:{before};opacity:1}}"
            f"{self.percent(since + seconds)},100%{{stroke-dashoffset:{after};opacity:1}}"
        )
        return f"{name} line"

    def add(self, tag: str, content: str | None = None, **attributes: Any) -> None:
        """A shape; `css` is its class."""
        named = {{"css": "class"}.get(name, name.replace("_", "-")): value for name, value in attributes.items()}
        said = "".join(
            f' {name}="{short(each) if isinstance(each, (int, float)) else html.escape(each)}"'
            for name, each in named.items()
        )
        self.parts.append(f"<{tag}{said}/>" if content is None else f"<{tag}{said}>{html.escape(content)}</{tag}>")

    def style(self, palette: dict[str, str], moving: bool) -> str:
        """Colours, and times if it moves."""
        inks = "".join(f".{name}{{fill:{palette[name]}}}" for name in ("ink", "soft", "leaf", "flow", "done"))
        looks = (
            f"text{{font-family:{FONT};font-variant-numeric:tabular-nums}}.code{{font-family:{MONO}}}{inks}"
            f".box{{fill:{palette['panel']};stroke:{palette['line']};stroke-width:1.2}}"
            f".box.of-leaf{{stroke:{palette['leaf']};stroke-width:2}}.box.of-result{{stroke:{palette['done']};"
            f"stroke-width:2}}.edge{{fill:none;stroke:{palette['faint']};stroke-width:1.6}}"
            f".line{{fill:none;stroke-dasharray:1;stroke-width:2}}.forth{{stroke:{palette['line']}}}"
            f".back{{stroke:{palette['flow']}}}.halo{{stroke:{palette['ground']};stroke-width:5;"
            f"stroke-linejoin:round;paint-order:stroke}}.ring{{fill:none;stroke:{palette['flow']};stroke-width:3}}"
            f".passing{{opacity:0}}"
        )
        if not moving:
            return looks
        pace = f"{self.seconds:g}s linear {FIRST - self.seconds:g}s infinite"
        rules = "".join(
            f"@keyframes {name}{{{stops}}}.{name}{{animation:{name} {pace}}}" for name, stops in self.rules.items()
        )
        return f"{looks}{rules}@media (prefers-reduced-motion: reduce){{*{{animation:none!important}}}}"


def picture(theme: str, form: str = "") -> str:
    """The picture as SVG."""
    narrow, moving = "-narrow" in form, "-still" not in form
    explorer = walk(program, **VALUES)
    data = explorer.data()
    layout, steps = data["layouts"]["wide"], data["steps"]
    if narrow:
        layout = spread(data["layouts"]["tall"])
    times = {"forward": FORWARD, "backward": BACKWARD}
    spans: list[tuple[float, float]] = []
    now = BEGIN
    for step in steps:
        length = SEED if step["way"] == "backward" and not step["now"] else times[step["way"]]
        spans.append((now, now + length))
        now += length
    film = Film(now + END)
    width = layout["width"] * SCALE + 2 * MARGIN
    height = layout["height"] * SCALE + TOP + (BELOW if narrow else BOTTOM)
    backward = next(since for (since, _), step in zip(spans, steps, strict=True) if step["way"] == "backward")
    for x, text, since, until in ((MARGIN, SOURCE, 0.0, backward), (MARGIN, "f.backward()", backward, None)):
        placed = {"x": x, "y": 26 + 26 * (until is None), "font_size": 16 if narrow else 19}
        film.add("text", text, **placed, css="code soft")
        film.add("text", text, **placed, css=f"code ink {film.seen(since, until)}")
    film.parts.append(f'<g transform="translate({MARGIN},{TOP}) scale({SCALE})">')
    for path in layout["paths"]:
        film.add("path", d=path, css="edge")
    boxes(film, data, layout, spans)
    arrows(film, layout, steps, spans, narrow)
    film.parts.append("</g>")
    said = [("Forward: each operation computes its value from what it uses.", film.seen(0.0, BEGIN))]
    for number, (step, (since, until)) in enumerate(zip(steps, spans, strict=True)):
        said.append((caption(step, data), film.seen(since, until if number < len(steps) - 1 else until + 0.4)))
    said.append((ending(steps, data), film.seen(spans[-1][1] + 0.4)))
    for sentence, css in said:
        for number, line in enumerate(textwrap.wrap(sentence, 36 if narrow else 200)):
            down = layout["height"] * SCALE + TOP + 40 + 24 * number
            film.add("text", line, x=MARGIN, y=down, font_size=SAID, css=f"ink {css}")
    words = f"{SOURCE}, then f.backward(). {explorer.words()} {ending(steps, data)}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {short(width)} {short(height)}" '
        f'width="{short(width)}" height="{short(height)}"><title>{html.escape(words)}</title>'
        f'<rect width="100%" height="100%" rx="10" fill="{GROUNDS[theme]}"/>'
        f"<style>{film.style(colours(theme), moving)}</style>{''.join(film.parts)}</svg>\n"
    )


def boxes(film: Film, data: dict[str, Any], layout: dict[str, Any], spans: list[tuple[float, float]]) -> None:
    """Each box with its value, from the step that computes it, and with the gradient that has arrived so far."""
    for number, (box, (x, y, width, height)) in enumerate(zip(data["boxes"], layout["boxes"], strict=True)):
        middle = x + width / 2
        shape = {"x": x, "y": y, "width": width, "height": height, "rx": 8}
        film.add("rect", **shape, css=f"box of-{box['kind']}")
        head = f"{box['name']} {box['sign']}".strip()
        colour = {"leaf": "leaf", "result": "done"}.get(box["kind"], "soft")
        film.add("text", head, x=middle, y=y + 19, font_size=13, text_anchor="middle", font_weight="600",
                 css=f"code {colour}")  # fmt: skip
        gradients: list[tuple[float, str]] = []
        for step, (since, until) in zip(data["steps"], spans, strict=True):
            if step["at"] == number:
                film.add("rect", **shape, css=f"ring {film.seen(since, until)}")
            for value in step.get("values", {}).get(str(number), ()):
                film.add("text", value, x=middle, y=y + 37, font_size=15, text_anchor="middle",
                         css=f"ink {film.seen(since + 0.5)}")  # fmt: skip
            for value in step.get("gradients", {}).get(str(number), ()):
                gradients.append((since + (1.1 if step["now"] else 0.3), value))
        for value in data["start"]["values"].get(str(number), ()):
            film.add("text", value, x=middle, y=y + 37, font_size=15, text_anchor="middle", css="ink")
        word = "grad" if box["kind"] == "leaf" else "up"
        for place, (since, value) in enumerate(gradients):
            until = gradients[place + 1][0] if place + 1 < len(gradients) else None
            film.add("text", f"{word} {value}", x=middle, y=y + 55, font_size=12, text_anchor="middle",
                     css=f"flow {film.seen(since, until)}")  # fmt: skip


def arrows(
    film: Film, layout: dict[str, Any], steps: list[dict[str, Any]], spans: list[tuple[float, float]], upright: bool
) -> None:
    """Each edge: it grows forward in grey, then backward in orange, and says upstream × local = share."""
    for step, (since, _) in zip(steps, spans, strict=True):
        back = step["way"] == "backward"
        for place, edge in enumerate(step["now"]):
            look = f"{film.growing(since + 0.1, 0.9 if back else 0.5, back)} {'back' if back else 'forth'}"
            film.add("path", d=layout["paths"][edge], pathLength="1", css=look)
            if back:
                x, y, _, _ = layout["ends"][edge]
                tip = f"M{short(x)},{short(y)}l{'-4.5,9h9z' if upright else '9,-4.5v9z'}"
                film.add("path", d=tip, css=f"flow {film.seen(since + 0.9)}")
                label = step["products"][place]["label"]
                if upright:
                    x, y, anchor = beside(layout["paths"], edge, y, width_of(label, LABEL))
                else:
                    x, y, anchor = *above(layout["paths"][edge], width_of(label, LABEL)), "middle"
                film.add("text", label, x=x, y=y, font_size=LABEL, text_anchor=anchor,
                         css=f"flow halo {film.seen(since + 0.5)}")  # fmt: skip


def curves(path: str, last: bool = False) -> list[list[float]]:
    """Points of a path, or of its last curve: from M, along each C and L."""
    points: list[list[float]] = []
    at: list[float] = []
    for letter, numbers in re.findall(r"([MCL])([^MCL]+)", path):
        corners = [float(each) for each in re.findall(r"-?[\d.]+", numbers)]
        if letter == "L":
            corners = [*at, *corners, *corners]
        if letter != "M":
            points = [] if last else points
            points += [bent([*at, *corners], part / 40) for part in range(41)]
        at = corners[-2:]
    return points


def bent(corners: list[float], t: float) -> list[float]:
    """A point of a Bézier curve with four corners."""
    s = 1 - t
    weights = (s**3, 3 * s * s * t, 3 * s * t * t, t**3)
    return [sum(w * v for w, v in zip(weights, corners[axis::2], strict=True)) for axis in (0, 1)]


def above(path: str, width: float) -> tuple[float, float]:
    """Where a text of this width stands above the last curve of a path: its middle, and its baseline."""
    points = curves(path, last=True)
    middle = points[-1][0] - 12 - width / 2
    return middle, min(y for x, y in points if abs(x - middle) <= width / 2 + 2) - 5


def beside(paths: list[str], edge: int, tip: float, width: float) -> tuple[float, float, str]:
    """Where a text stands near the tip of its arrow: to the left, or else to the right of it, but on no other arrow."""
    for y in (tip + 26, tip + 20, tip + 38):
        own, *others = [
            [x for x, height in curves(path) if y - 13 <= height <= y + 5]
            for path in [paths[edge], *paths[:edge], *paths[edge + 1 :]]
        ]
        left, right = min(own) - 7, max(own) + 7
        for x, start, anchor in ((left, left - width, "end"), (right, right, "start")):
            if not any(start - 3 < each < start + width + 3 for other in others for each in other):
                return x, y, anchor
    raise ValueError(f"There is no room for a text beside {paths[edge]}.")


def caption(step: dict[str, Any], data: dict[str, Any]) -> str:
    """What a step does, in a sentence."""
    if step["way"] == "forward":
        return f"Forward: {step['say']}"
    if not step["now"]:
        return "Backward starts at the end: df/df = 1."
    name = data["boxes"][step["at"]]["name"]
    sent = " and ".join(f"{each['label']} to {each['to']}" for each in step["products"])
    return f"Now {name} sends upstream × local: {sent}."


def ending(steps: list[dict[str, Any]], data: dict[str, Any]) -> str:
    """The last sentence: what the leaf that is used twice has kept."""
    shares: dict[str, list[str]] = {}
    for step in steps:
        for each in step.get("products", ()):
            shares.setdefault(each["to"], []).append(each["share"])
    name, several = next((name, each) for name, each in shares.items() if len(each) > 1)
    number = next(place for place, box in enumerate(data["boxes"]) if box["name"] == name)
    (kept,) = [step["gradients"][str(number)] for step in steps if str(number) in step.get("gradients", {})][-1]
    return f"As {name} is used twice, its shares are added: {name}.grad = {' + '.join(several)} = {kept}."


def main() -> int:
    """Write the pictures; with --check, the exit status says whether they are up to date."""
    parser = argparse.ArgumentParser(description="Write the moving picture of the README.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file would change")
    options = parser.parse_args()
    for theme, form in itertools.product(THEMES, FORMS):
        path, text = DOCS / f"walk-{theme}{form}.svg", picture(theme, form)
        if options.check and (not path.is_file() or path.read_text(encoding="utf-8") != text):
            print(f"{path.name} is not what docs/walk.py writes.")
            return 1
        if not options.check:
            path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
