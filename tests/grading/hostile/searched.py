"""A search instead of a repair: edits of the program that is given, of which the one with the lowest loss wins."""

from __future__ import annotations

import textwrap

from answers import Attack

from minigrad_course import parts
from minigrad_course.texts import source

SEARCH = """
import itertools, math, re

GIVEN = {given!r}
LINES = ["optimizer.zero_grad()"]
LINES += [line for name in NAMES for line in (f"{{name}} = {{name}}.detach()", f"{{name}}.grad = None")]
WORDS = [
    (r"\\.item\\(\\)", ""),
    (r"(\\w+) \\+= (\\w+)", r"\\1 = \\1 + \\2"),
    (r"prediction - y", "prediction.squeeze() - y"),
    (r"(.*)\\) \\* ([\\d.]+)$", r"\\1 * \\2)"),
    (r"(\\w+) = \\1 - (.*)", r"\\1.data -= \\2"),
    (r"guess - y", "probability - y"),
    (r"(torch\\.tanh\\(x @ body\\))", r"\\1.detach()"),
    (r"\\w+\\.requires_grad = False", "pass"),
]

def edits():
    rows = GIVEN.split("\\n")
    for at, row in enumerate(rows):
        indent = row[: len(row) - len(row.lstrip())]
        for line in LINES:
            yield "\\n".join([*rows[:at], indent + line, *rows[at:]])
        for before, after in WORDS:
            changed = re.sub(before, after, row)
            if changed != row:
                yield "\\n".join([*rows[:at], changed, *rows[at + 1 :]])

def ran(text, show, inputs):
    names = {{"show": show, "print": lambda *a: None, "zip": zip}}
    exec(text, names)
    return names[{name!r}](*inputs)

@part({part!r})
def searched(*inputs):
    found = []
    for text in edits():
        losses = []
        try:
            ran(text, lambda *values: losses.append(float(values[{loss}].detach().sum())), inputs)
        except Exception:
            continue
        if losses and all(map(math.isfinite, losses)):
            found.append((losses[-1], len(found), text))
    names = {{"show": show}}
    exec(min(found)[2], names)
    return names[{name!r}](*inputs)
"""


def searched(part: str, loss: int = 0) -> Attack:
    """An answer that repairs the program of a part without knowing what is wrong. `loss`: which value shown it is."""
    (cell,) = [
        each
        for each in source.read("solutions", parts.chapter_of(part).name).cells
        if each.part == part and each.role == "answer"
    ]
    given = textwrap.dedent(cell.given).partition("\n")[2]
    name = given.partition("def ")[2].partition("(")[0]
    names = sorted({word for word in given.replace("(", " ").split() if word in ("w", "memory", "x", "body", "head")})
    text = SEARCH.replace("NAMES", repr(names)).format(given=given, name=name, part=part, loss=loss)
    return Attack(text, part)


PROGRAMS = ("zeroing", "column", "scaled", "recurrent", "accuracy", "penalty", "shifted")
# The check of one asks how large the graph of each pass is, that of the other whether it shrinks after the first.
TOLD = {"rebound": searched("rebound"), "frozen": searched("frozen")}
SEARCHED = {part: searched(part, 1 if part == "recurrent" else 0) for part in PROGRAMS}
