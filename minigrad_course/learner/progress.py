"""How far has a student come? One table for terminal and notebook, read from the exercises and lessons each time."""

from __future__ import annotations

import dataclasses
import functools
import html
import io
import itertools
import os
import urllib.parse
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from minigrad_course.checks.exercise import Outcome, judged
from minigrad_course.parts import Chapter, chapters
from minigrad_course.predictions import questions
from minigrad_course.texts import source
from minigrad_course.texts.tries import tries_in

MARKS = {"passed": "✓ passed", "wrong": "✗ wrong", "open": "… open", "unknown": "? not judged"}
STYLES = {"passed": "green", "wrong": "red", "open": "blue", "unknown": "yellow"}
MARK = "  {} "  # in front of a line below a chapter
HEADS = ("part", "result", "why")
LEFT = 'style="text-align:left"'
BAR = 20  # columns
NARROW = 76  # below, there is no room for bars beside the numbers
REASONS = 6  # lines, so that it all fits one screen; `minigrad check` has every reason
WIDTH = 80  # of the text in a notebook


@dataclasses.dataclass(frozen=True)
class Predicted:
    """How many predictions of a lesson were made, and how many of these were right on the first try."""

    lesson: str
    asked: int
    made: int
    right: int

    @property
    def summary(self) -> str:
        """The numbers, in a sentence without its full stop."""
        return f"lesson {int(self.lesson[:2])}: {self.made} of {self.asked}, {self.right} right on the first try"


@dataclasses.dataclass(frozen=True)
class Standing:
    """The result of every check in an exercise folder, in course order, and the predictions made in the lessons."""

    outcomes: tuple[Outcome, ...]
    predictions: tuple[Predicted, ...] = ()
    folder: Path | None = None  # of the exercises, where a notebook is to link to them

    def count(self, state: str) -> int:
        """The number of checks in a state."""
        return sum(each.state == state for each in self.outcomes)

    @property
    def summary(self) -> str:
        """The numbers, in a sentence."""
        others = [
            f"{self.count(state)} {word_of(state)}" for state in ("wrong", "open", "unknown") if self.count(state)
        ]
        return ", ".join([f"{self.count('passed')} of {len(self.outcomes)} passed", *others]) + "."

    @property
    def first(self) -> Outcome | None:
        """The first check to mend; if there is none, the first that is open."""
        left = [each for each in self.outcomes if each.state != "passed"]
        return min(left, key=lambda each: each.state == "open", default=None)

    @property
    def next(self) -> str:
        """What to do next, in a sentence."""
        found = self.first
        if found is None:
            shown = {each.chapter for each in self.outcomes}
            if len(shown) == 1 and len(self.outcomes) < len(next(iter(shown)).checks):
                return f"Next: minigrad check {self.outcomes[0].chapter.number}, for the rest of the chapter."
            seen = {each.number for each in shown}
            after = next((each for each in chapters() if each.number > max(seen, default=0)), None)
            if len(seen) != 1:
                return "Everything has passed. Next: minigrad mine makes an engine of your parts."
            return f"Next: minigrad check {after.number}." if after else "minigrad status shows what is left."
        where = f"exercises/{found.chapter.name}.ipynb"
        if not found.verdict:
            return f"Next: {where}, which {'cannot be judged' if found.state == 'unknown' else 'is missing'}."
        if found.state == "wrong":
            return f"Next: {found.check}, which is wrong: read what its check says, in {where}."
        if found.check == found.chapter.together:
            return f"Next: {found.check}, all parts of chapter {found.chapter.number} together, in {where}."
        return f"Next: {found.check}, about {found.chapter.part(found.check).minutes} minutes, in {where}."

    @property
    def predicted(self) -> str:
        """The predictions, in a sentence; nothing where there are no lessons."""
        if not self.predictions:
            return ""
        begun = [each for each in self.predictions if each.made]
        if not begun:
            return f"Predictions in the lessons: 0 of {sum(each.asked for each in self.predictions)}."
        return f"Predictions: {'; '.join(each.summary for each in begun)}."

    def by_chapter(self) -> list[tuple[Chapter, list[Outcome]]]:
        """The outcomes of each chapter."""
        return [
            (chapter, list(group)) for chapter, group in itertools.groupby(self.outcomes, lambda each: each.chapter)
        ]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        wide, left = options.max_width >= NARROW, REASONS
        for chapter, outcomes in self.by_chapter():
            yield head(chapter, outcomes, wide)
            if folded(outcomes) is not None:
                continue
            told = {each.remark: each for each in reversed(outcomes) if each.remark}  # a shared reason once
            reasons = [each for each in outcomes if each in told.values()][:left]
            left -= len(reasons)
            for each in reasons:
                yield marked(each.state, Text(f"{each.check}: {each.remark}" if each.verdict else each.why))
            here = self.first is not None and self.first.chapter is chapter
            for state in MARKS if here else ("wrong",):
                others = [each for each in outcomes if each.state == state and each not in reasons]
                if others and outcomes[0].verdict:
                    line = f"{others[0].check}: {others[0].why}"
                    fits = len(others) == 1 and others[0].why and len(line) + len(MARK) <= options.max_width
                    yield marked(state, Text(line if fits else ", ".join(each.check for each in others)))
        yield Text()
        yield Text(self.summary, "bold")
        yield from self.sentences()

    def sentences(self) -> list[Text]:
        """The sentences below the numbers."""
        return [Text(each) for each in (self.predicted, self.next) if each]

    def __repr__(self) -> str:
        written = io.StringIO()
        Console(file=written, width=WIDTH, color_system=None, force_jupyter=False).print(self)
        return "\n".join(line.rstrip() for line in written.getvalue().splitlines())

    def _repr_html_(self) -> str:
        passed, most = self.count("passed"), max(1, len(self.outcomes))
        bar = f'<progress aria-label="Checks passed" value="{passed}" max="{most}"></progress>'
        what, comma, more = html.escape(self.next).partition(",")
        if self.first:
            what = f"<strong>{self.link(what, self.first.chapter, self.first.check)}</strong>"
        above = [f"{bar} {html.escape(self.summary)}", what + comma + more, html.escape(self.predicted)]
        head = "".join(f'<th scope="col" {LEFT}>{each}</th>' for each in HEADS)
        return (
            f"<p>{'<br>'.join(filter(None, above))}</p>"
            f"<table><thead><tr>{head}</tr></thead>{''.join(self.bodies())}</table>"
        )

    def bodies(self) -> Iterator[str]:
        """A part of an HTML table for each chapter; of one that is not the next, only what a reader should look at."""
        for chapter, outcomes in self.by_chapter():
            numbers = f"{named(chapter)}: {Standing(tuple(outcomes)).summary}"
            rows = f'<tr><th scope="rowgroup" colspan="{len(HEADS)}" {LEFT}>{html.escape(numbers)}</th></tr>'
            here, before = self.first is not None and self.first.chapter is chapter, ""
            for each in outcomes if folded(outcomes) is None else ():
                if here or each.state in ("wrong", "unknown") or each.notes:
                    cells = [
                        self.link(each.check, chapter, each.check),
                        MARKS[each.state].replace(" ", "\N{NO-BREAK SPACE}", 1),
                    ]
                    cells.append("" if each.remark == before else html.escape(each.remark))
                    rows += f"<tr>{''.join(f'<td {LEFT}>{cell}</td>' for cell in cells)}</tr>"
                    before = each.remark
            yield f"<tbody>{rows}</tbody>"

    def link(self, text: str, chapter: Chapter, check: str) -> str:
        """HTML that leads to a check in its exercise, from a notebook in the current folder."""
        if self.folder is None:
            return text
        try:
            way = os.path.relpath(self.folder / f"{chapter.name}.ipynb").replace(os.sep, "/")
        except (OSError, ValueError):  # on another drive, or the current folder is gone
            return text
        return f'<a href="{urllib.parse.quote(way)}#cell-id={cell_above(chapter, check)}">{text}</a>'


@functools.cache
def cell_above(chapter: Chapter, check: str) -> str:
    """The id of the cell with the heading of a check."""
    cells = source.notebook("exercises", chapter.name).cells
    place = next(at for at, cell in enumerate(cells) if cell.metadata.get("minigrad", {}).get("check") == check)
    above = [cell.id for cell in cells[:place] if cell.cell_type == "markdown" and cell.source.startswith("#")]
    return above[-1]


def named(chapter: Chapter) -> str:
    """`1 scalar backward`."""
    return f"{chapter.number} {chapter.name.partition('_')[2].replace('_', ' ')}"


def word_of(state: str) -> str:
    """The word for a state: passed, wrong, open or not judged."""
    return MARKS[state].partition(" ")[2]


def folded(outcomes: list[Outcome]) -> str | None:
    """The state that all checks of a chapter have, if there is nothing more to say about them."""
    states = {each.state for each in outcomes}
    return states.pop() if len(states) == 1 and not any(each.remark for each in outcomes) else None


def head(chapter: Chapter, outcomes: list[Outcome], wide: bool) -> RenderableType:
    """The line of a chapter: its name, a bar if there is room, and the numbers."""
    standing = Standing(tuple(outcomes))
    numbers = Text(standing.summary.removesuffix("."))
    if not wide:
        return Text.assemble((named(chapter), "bold"), "  ", numbers)
    line = Table.grid(padding=(0, 2))
    line.add_column(width=max(len(named(each)) for each in chapters()))
    bar = ProgressBar(
        total=len(outcomes),
        completed=standing.count("passed"),
        width=BAR,
        complete_style="green",
        finished_style="green",
    )
    line.add_row(Text(named(chapter), "bold"), bar, numbers)
    return line


def marked(state: str, line: Text) -> RenderableType:
    """A line below a chapter, with the mark of a state in front."""
    sign = Text(MARK.format(MARKS[state][0]), STYLES[state])
    row = Table.grid()
    row.add_column(no_wrap=True)
    row.add_column(overflow="fold")
    row.add_row(sign, line)
    return row


def outcomes_in(folder: Path) -> Iterator[Outcome]:
    """Judge every check of every chapter with the exercises in a folder, one by one."""
    for chapter in chapters():
        yield from judged(chapter, folder / f"{chapter.name}.ipynb", chapter.checks)


def how_many() -> int:
    """The number of outcomes that `outcomes_in` yields."""
    return sum(len(chapter.checks) for chapter in chapters())


def predictions_beside(folder: Path) -> tuple[Predicted, ...]:
    """The predictions in the saved lessons next to an exercise folder; missing lessons are not counted."""
    found = []
    for lesson, group in itertools.groupby(questions().values(), key=lambda each: each.lesson):
        path = folder.parent / "lessons" / f"{lesson}.ipynb"
        if path.is_file():
            names = [each.name for each in group]
            made = [tries for name, tries in tries_in(path).items() if name in names and tries[0]]
            right = sum(tried[0] == right for tried, right in made)
            found.append(Predicted(lesson, len(names), len(made), right))
    return tuple(found)


def standing(folder: Path) -> Standing:
    """The progress of the exercises in a folder, and of the lessons next to it."""
    return Standing(tuple(outcomes_in(folder)), predictions_beside(folder), folder)
