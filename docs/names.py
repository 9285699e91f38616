"""Write docs/names.md: every part, check and mistake of the course, and the misconceptions that each addresses.

    python docs/names.py [--check]

The names come from the chapters in `minigrad_course/parts/`, the misconceptions from the map in the tests
(`tests/course/misconceptions.py`).
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import written  # beside this file

from minigrad_course.parts import Chapter, Part, chapters

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "names.md"
MAP = ROOT / "tests" / "course" / "misconceptions.py"

# A place that addresses a misconception: kind (text, prediction, task or mistake), notebook, and the name of a cell, of
# a part, or part/mistake.
Spot = tuple[str, str, str]
Rows = dict[int, tuple[str, tuple[Spot, ...]]]

BEGIN = """\
<!-- Written by docs/names.py; `make build` writes it again. -->

# Parts and mistakes

Every part, check and mistake of the course. A part and its check have the same name. A part's mistakes are the wrong
answers that its check recognises; each explanation completes the sentence "This is what you get when …".
"""


def counted(number: int, noun: str) -> str:
    """`1 point`, `3 points`."""
    return f"{number} {noun if number == 1 else noun + 's'}"


def rows() -> Rows:
    """The map of misconceptions; empty if there is none."""
    if not MAP.is_file():
        return {}
    spec = importlib.util.spec_from_file_location("misconceptions", MAP)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: Rows = module.ROWS
    return found


def page() -> str:
    """The whole page."""
    lines = [BEGIN, *(line for chapter in chapters() for line in section(chapter))]
    known = rows()
    if known:
        lines += ["## Misconceptions", "", "Where each is met.", ""]
        lines += [f"{number}. {name}: {words(places)}" for number, (name, places) in known.items()]
    return "\n".join(lines).rstrip() + "\n"


def section(chapter: Chapter) -> Iterator[str]:
    """A chapter: what each part is, and its mistakes."""
    title = chapter.name.split("_", 1)[1].replace("_", " ")
    lesson, exercise = (f"[{kind}](../{kind}s/{chapter.name}.ipynb)" for kind in ("lesson", "exercise"))
    yield f"## Chapter {chapter.number}: {title}\n\n{lesson}, {exercise}\n"
    for part in chapter.parts:
        yield f"### `{part.name}`\n"
        yield f"{asked(part)}: {counted(part.points, 'point')}, {part.minutes} minutes, difficulty {part.difficulty}.\n"
        yield from (f"- *{each.name}*: {each.explanation}" for each in part.mistakes)
        yield ""
    yield f"### `{chapter.together}`\n"
    yield f"The last check, all parts together: {counted(chapter.together_points, 'point')}.\n"


def asked(part: Part) -> str:
    """What a part is, in a few words."""
    if part.place.kind == "engine":
        return f"`{part.place.attribute}` of `{part.place.module}`"
    if part.place.kind == "operation":
        return f"A new operation, `torch.{part.place.attribute}`"
    if part.place.kind == "module":
        return "A program that runs on an engine of your own"
    return f"`{part.place.attribute}` of a program"


def words(places: tuple[Spot, ...]) -> str:
    """Places, in words: each lesson once, with its cells."""
    said: dict[str, list[str]] = {}
    for kind, notebook, name in places:
        if kind in ("task", "mistake"):
            said.setdefault(kind, []).append(f"`{name}`")
        else:
            lesson = f"[lesson {notebook[:2].lstrip('0')}](../lessons/{notebook}.ipynb)"
            said.setdefault(lesson, []).append(f"{'prediction ' if kind == 'prediction' else ''}`{name}`")
    return "; ".join(f"{where} {', '.join(names)}" for where, names in said.items())


if __name__ == "__main__":
    raise SystemExit(written.main(PAGE, page))
