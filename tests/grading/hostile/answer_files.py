"""Answers in files, which an editor colours: in `cells`, what stands below a line `# %% name` is one cell."""

from __future__ import annotations

import re
from pathlib import Path

CELLS = Path(__file__).resolve().with_name("cells")
CELL = re.compile(r"^# %% (.+)\n", re.MULTILINE)
PART = re.compile(r"\bpart\(\s*[\"'](\w+)")


def cells(name: str) -> dict[str, str]:
    """The cells of a file in the folder `cells` by their names; what is `shared` stands above each of them."""
    before, *pieces = CELL.split((CELLS / name).read_text(encoding="utf-8"))
    names = pieces[::2]
    assert not re.search(r"^[^#\n]", before, re.MULTILINE) and len(set(names)) == len(names), name
    found = {each: text.strip("\n") + "\n" for each, text in zip(names, pieces[1::2], strict=True)}
    shared = found.pop("shared", "")
    return {each: shared + text for each, text in found.items()}


def part_of(text: str) -> str:
    """The part that a cell answers."""
    found = PART.search(text)
    assert found, text
    return found[1]
