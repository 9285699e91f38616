"""What a check has printed beside its target, line by line, the first difference marked: in HTML, and as plain text.

Colours are those of the page, light or dark; where there is no theme, those of the text around.
"""

from __future__ import annotations

import html
import itertools
from collections.abc import Iterable, Sequence

from minigrad_course.programs.compare import Difference, alike
from minigrad_course.programs.problems import shortened

ALIKE = 3  # lines above the first difference that are shown; more of them are folded
LINES = 40  # from there on that are shown

Row = tuple[str | None, str | None]  # a line that was printed and one of the target; None for one that is not there

TABLE = "border-collapse:collapse;table-layout:fixed;width:100%;margin:6px 0 0;font-size:inherit;border:0"
CELL = "text-align:left;vertical-align:top;background:none;border:0;padding:1px 16px 1px 6px"
LINE = f"{CELL};font-family:var(--jp-code-font-family,monospace);white-space:pre-wrap;overflow-wrap:anywhere"
MARKED = f"{LINE};background:rgba(213,94,0,.18)"  # Okabe and Ito's vermillion, over whatever the page has
FOLD = "padding-left:6px;cursor:pointer"


def of(printed: str | None, target: str, found: Difference | None) -> tuple[list[Row], list[Row], int]:
    """The rows above those that are shown, the rows that are, and how many are left out below."""
    ours, theirs = lines_of(printed or ""), lines_of(target)
    rows = beside(ours, theirs) if found and found.is_extra else list(itertools.zip_longest(ours, theirs))
    first = max(0, found.line - 1 - ALIKE) if found else 0
    if found and found.line <= len(rows):
        one, other = found.shown  # of long lines the end that differs
        before = rows[found.line - 1]
        rows[found.line - 1] = (one if before[0] is not None else None, other if found.reference else before[1])
    return rows[:first], rows[first : first + LINES], max(0, len(rows) - first - LINES)


def beside(ours: list[str], theirs: list[str]) -> list[Row]:
    """Lines in rows, where those of the target are all there: opposite the others, and after the last, is nothing."""
    rows: list[Row] = []
    place = 0
    for line in ours:
        is_theirs = place < len(theirs) and alike(line, theirs[place])
        rows.append((line, theirs[place] if is_theirs else None))
        place += is_theirs
    return [*rows, *((None, line) for line in theirs[place:])]


def lines_of(text: str) -> list[str]:
    """The lines of a text, none of them too long to be shown."""
    return [shortened(line) for line in text.rstrip().splitlines()]


def render(printed: str | None, target: str, name: str, found: Difference | None) -> str:
    """HTML: what was printed beside the target; the target alone if `printed` is None.

    name: a word for the target. found: the first difference, which is marked.
    """
    above, rows, left = of(printed, target, found)
    heads = [name] if printed is None else ["yours", name]
    text = ""
    if above:
        many = f"{len(above)} line{'s' * (len(above) != 1)} alike"
        text += f'<details><summary style="{FOLD}">{many}</summary>{table(above, [], -1, len(heads))}</details>'
    text += table(rows, heads, found.line - 1 - len(above) if found else -1, len(heads))
    return text + (f'<div style="{FOLD};cursor:auto">… and {left:,} more lines.</div>' if left else "")


def table(rows: Iterable[Row], heads: Sequence[str], marked: int, count: int) -> str:
    """The last `count` columns of some rows as a table; the row number `marked` is the first difference."""
    head = "".join(f'<th scope="col" style="{CELL}">{html.escape(head)}</th>' for head in heads)
    body = "".join(
        f'<tr style="background:none">{"".join(cell(line, number == marked) for line in row[-count:])}</tr>'
        for number, row in enumerate(rows)
    )
    head = f'<thead style="border:0"><tr>{head}</tr></thead>' if head else ""
    return f'<table style="{TABLE}">{head}<tbody>{body}</tbody></table>'


def cell(line: str | None, marked: bool) -> str:
    """A line as a cell; one that is not there is empty."""
    return f'<td style="{MARKED if marked else LINE}">{html.escape(line or "")}</td>'


def plain(printed: str, target: str, name: str) -> str:
    """Both texts one below the other, for whoever sees no HTML."""
    pairs = (("yours", printed), (name, target)) if printed.strip() else ((name, target),)
    return "".join(f"\n\n{head}, all lines:\n" + "\n".join(lines_of(text)[:LINES]) for head, text in pairs)
