"""Write docs/names.md: every part, check and mistake of the course, and the misconceptions that each addresses.

    python docs/names.py [--check]

The names come from the chapters in `minigrad/course/parts/`, the misconceptions from the map in the tests
(`tests/course/misconceptions.py`).
"""

from __future__ import annotations

import argparse
import importlib.util
from collections.abc import Iterator
from pathlib import Path

from minigrad.course.parts import Chapter, Part, chapters

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "names.md"
MAP = ROOT / "tests" / "course" / "misconceptions.py"

# A place that addresses a misconception: kind (text, prediction, task or mistake), notebook, and the name of a cell, of
# a part, or part/mistake.
Spot = tuple[str, str, str]
Rows = dict[int, tuple[str, tuple[Spot, ...]]]

BEGIN = """\
<!-- Written by docs/names.py; `make build` writes it again. -->

# Names

Every part, check and mistake of the course. A part and its check have the same name. A part's mistakes are the wrong
answers that its check recognises; each explanation completes the sentence "This is what you get when …".
"""


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
    known = rows()
    lines = [BEGIN]
    for chapter in chapters():
        lines += [*section(chapter, known), ""]
    if known:
        lines += ["## Misconceptions", "", "Where each is met.", "", *table(["#", "misconception", "where"])]
        lines += [row([str(number), name, "; ".join(map(words, places))]) for number, (name, places) in known.items()]
    return "\n".join(lines).rstrip() + "\n"


def section(chapter: Chapter, known: Rows) -> Iterator[str]:
    """A chapter: its checks in a table, then the mistakes of each part."""
    title = chapter.name.split("_", 1)[1].replace("_", " ")
    lesson, exercise = (f"[{kind}](../{kind}s/{chapter.name}.ipynb)" for kind in ("lesson", "exercise"))
    yield f"## Chapter {chapter.number}: {title}\n\n{lesson}, {exercise}\n"
    head = ["part and check", "what it asks for", "points", "minutes", "difficulty"]
    yield from table([*head, "misconceptions"] if known else head)
    for part in chapter.parts:
        facts = [f"`{part.name}`", asked(part), str(part.points), str(part.minutes), str(part.difficulty)]
        yield row([*facts, met(known, "task", part.name)] if known else facts)
    last = [f"`{chapter.together}`", "the last check: all parts together", str(chapter.together_points), "", ""]
    yield row([*last, met(known, "task", chapter.together)] if known else last)
    yield ""
    head = ["part", "mistake", "This is what you get when …"]
    yield from table([*head, "misconceptions"] if known else head)
    for part in chapter.parts:
        for each in part.mistakes:
            facts = [f"`{part.name}`", each.name, each.explanation]
            yield row([*facts, met(known, "mistake", f"{part.name}/{each.name}")] if known else facts)


def asked(part: Part) -> str:
    """What a part is, in a few words."""
    if part.place.kind == "engine":
        return f"`{part.place.attribute}` of `{part.place.module}`"
    if part.place.kind == "operation":
        return f"a new operation, `torch.{part.place.attribute}`"
    return f"`{part.place.attribute}` of a program"


def met(known: Rows, kind: str, name: str) -> str:
    """The numbers of the misconceptions that a task or a mistake addresses."""
    return ", ".join(
        str(number)
        for number, (_, places) in known.items()
        if any((each[0], each[2]) == (kind, name) for each in places)
    )


def words(place: Spot) -> str:
    """A place, in words."""
    kind, notebook, name = place
    if kind in ("task", "mistake"):
        return f"{kind} `{name}`"
    lesson = f"[lesson {notebook[:2].lstrip('0')}](../lessons/{notebook}.ipynb)"
    return f"{lesson}, {'prediction ' if kind == 'prediction' else ''}`{name}`"


def table(head: list[str]) -> list[str]:
    """The first two lines of a table."""
    return [row(head), "|" + "---|" * len(head)]


def row(cells: list[str]) -> str:
    """A line of a table."""
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def main() -> int:
    """Write the page, or say whether it is up to date; the exit status."""
    parser = argparse.ArgumentParser(description="Write docs/names.md.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the page is stale")
    check = parser.parse_args().check
    made = page()
    if PAGE.is_file() and PAGE.read_text(encoding="utf-8") == made:
        print("docs/names.md is up to date.")
        return 0
    if check:
        print("docs/names.md is stale. Run: make build")
        return 1
    PAGE.write_text(made, encoding="utf-8", newline="\n")
    print("wrote: docs/names.md")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
