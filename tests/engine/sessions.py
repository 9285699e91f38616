"""Programs in the files of `sessions/`, which run line by line on both engines.

What stands before the first heading runs before each program of the file; `# setup: axes` there stands for the lines of
`setups/axes.py`. Below a heading stand the lines of a program;
what is indented belongs to the line above. A table makes a program of each of its pieces:

    # --- what a sum refuses
    y = x * 2                    before each piece
    # each of: y.sum({piece})    the line of a piece, if it is not the piece itself
    0; 1; 'a'                    the pieces, between semicolons; with `# each line of` each line is one
    # then
    x.grad                       after each piece

`{piece}` may stand in the lines before and after as well, then the piece has no line of its own. `{leaves}` are the
leaves of the setup that a piece names.
"""

import copy
import functools
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from asking import graph, kind, look, told
from engines import run_line

from minigrad.methods import saved_attributes

FILES = sorted((Path(__file__).parent / "sessions").glob("*.py"))
NAMES = {"np": np, "copy": copy, "told": told, "look": look, "graph": graph, "kind": kind}
NAMES |= {"nan": float("nan"), "inf": float("inf"), "SAVED": sorted(saved_attributes.NAMES)}
HEADING = re.compile(r"^# --- (.+)\n", re.M)
SHARED = re.compile(r"^# setup: (\w+)\n", re.M)
DOCSTRING = re.compile(r'\A""".*?"""\n', re.S)
TABLE = re.compile(r"^# each( line)? of(?:: (.+))?\n", re.M)
THEN = re.compile(r"^# then\n", re.M)
CONTINUED = re.compile(r"\s|$|(else|elif|except|finally)\b|[)\]}]|\"\"\"")


def programs(path: Path) -> Iterator[tuple[str, list[str]]]:
    """The programs of a file, each with its heading; the setup is the first line of each."""
    before, *sections = HEADING.split(body(path))
    setup = "\n".join(units(SHARED.sub(lambda name: body(path.parent / "setups" / f"{name[1]}.py"), before)))
    for heading, text in zip(sections[::2], sections[1::2], strict=True):
        text, *rest = THEN.split(text)
        first, *tables = TABLE.split(text)
        start, end = units(first), units("".join(rest))
        if not tables:
            yield heading, [setup, *start]
        for by_line, template, pieces in zip(tables[::3], tables[1::3], tables[2::3], strict=True):
            alone = not template and not any("{piece}" in line for line in (*start, *end))
            own = [template or "{piece}"] if template or alone else []
            for piece in units(pieces) if by_line else re.split(r";\s|\n(?!\s)", pieces):
                if piece.strip() and not piece.startswith("#"):
                    yield heading, [setup, *[filled(line, piece.strip(), setup) for line in (*start, *own, *end)]]


def body(path: Path) -> str:
    """A file without its docstring."""
    return DOCSTRING.sub("", path.read_text(encoding="utf-8"))


def units(text: str) -> list[str]:
    """The lines of a text, each with the indented ones below it."""
    found: list[str] = []
    for line in text.splitlines():
        if found and (CONTINUED.match(line) or (found[-1].startswith("@") and "\n" not in found[-1])):
            found[-1] += f"\n{line}"
        elif line and not line.startswith("#"):
            found.append(line)
    return [each.rstrip() for each in found]


def filled(line: str, piece: str, setup: str) -> str:
    """A line with what stands for the piece and for its leaves."""
    if "{leaves}" in line:
        line = line.replace("{leaves}", ", ".join(each for each in leaves(setup) if re.search(rf"\b{each}\b", piece)))
    return line.replace("{piece}", piece)


@functools.cache
def leaves(setup: str) -> list[str]:
    """The names of the leaves that a setup makes."""
    names = {"torch": torch, **NAMES}
    run_line(setup, names)
    return [name for name, each in names.items() if isinstance(each, torch.Tensor) and each.requires_grad]
