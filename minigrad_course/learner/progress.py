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
        return sum(outcome.state == state for outcome in self.outcomes)

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
        left = [outcome for outcome in self.outcomes if outcome.state != "passed"]
        return min(left, key=lambda item: item.state == "open", default=None)

    @property
    def next(self) -> str:
        """What to do next, in a sentence."""
        result = self.first
        if result is None:
            shown = {outcome.chapter for outcome in self.outcomes}
            if len(shown) == 1 and len(self.outcomes) < len(next(iter(shown)).checks):
                return f"Next: minigrad check {self.outcomes[0].chapter.number}, for the rest of the chapter."
            seen = {item.number for item in shown}
            after = next((chapter for chapter in chapters() if chapter.number > max(seen, default=0)), None)
            if len(seen) != 1:
                return "Everything has passed. Next: minigrad mine makes an engine of your parts."
            return f"Next: minigrad check {after.number}." if after else "minigrad status shows what is left."
        where = f"exercises/{result.chapter.name}.ipynb"
        if not result.verdict:
            return f"Next: {where}, which {'cannot be judged' if result.state == 'unknown' else 'is missing'}."
        if result.state == "wrong":
            return f"Next: {result.check}, which is wrong: read what its check says, in {where}."
        if result.check == result.chapter.together:
            return f"Next: {result.check}, all parts of chapter {result.chapter.number} together, in {where}."
        return f"Next: {result.check}, about {result.chapter.part(result.check).minutes} minutes, in {where}."

    @property
    def predicted(self) -> str:
        """The predictions, in a sentence; nothing where there are no lessons."""
        if not self.predictions:
            return ""
        begun = [prediction for prediction in self.predictions if prediction.made]
        if not begun:
            return f"Predictions in the lessons: 0 of {sum(prediction.asked for prediction in self.predictions)}."
        return f"Predictions: {'; '.join(item.summary for item in begun)}."

    def by_chapter(self) -> list[tuple[Chapter, list[Outcome]]]:
        """The outcomes of each chapter."""
        return [
            (chapter, list(group)) for chapter, group in itertools.groupby(self.outcomes, lambda item: item.chapter)
        ]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        wide, left = options.max_width >= NARROW, REASONS
        for chapter, outcomes in self.by_chapter():
            yield head(chapter, outcomes, wide)
            if folded(outcomes) is not None:
                continue
            told = {outcome.remark: outcome for outcome in reversed(outcomes) if outcome.remark}  # a shared reason once
            reasons = [outcome for outcome in outcomes if outcome in told.values()][:left]
            left -= len(reasons)
            for reason in reasons:
                yield marked(reason.state, Text(f"{reason.check}: {reason.remark}" if reason.verdict else reason.why))
            here = self.first is not None and self.first.chapter is chapter
            for state in MARKS if here else ("wrong",):
                others = [outcome for outcome in outcomes if outcome.state == state and outcome not in reasons]
                if others and outcomes[0].verdict:
                    line = f"{others[0].check}: {others[0].why}"
                    fits = len(others) == 1 and others[0].why and len(line) + len(MARK) <= options.max_width
                    yield marked(state, Text(line if fits else ", ".join(other.check for other in others)))
        yield Text()
        yield Text(self.summary, "bold")
        yield from self.sentences()

    def sentences(self) -> list[Text]:
        """The sentences below the numbers."""
        return [Text(item) for item in (self.predicted, self.next) if item]

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
        head = "".join(f'<th scope="col" {LEFT}>{item}</th>' for item in HEADS)
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
            for outcome in outcomes if folded(outcomes) is None else ():
                if here or outcome.state in ("wrong", "unknown") or outcome.notes:
                    cells = [
                        self.link(outcome.check, chapter, outcome.check),
                        MARKS[outcome.state].replace(" ", "\N{NO-BREAK SPACE}", 1),
                    ]
                    cells.append("" if outcome.remark == before else html.escape(outcome.remark))
                    rows += f"<tr>{''.join(f'<td {LEFT}>{cell}</td>' for cell in cells)}</tr>"
                    before = outcome.remark
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
    states = {outcome.state for outcome in outcomes}
    return states.pop() if len(states) == 1 and not any(outcome.remark for outcome in outcomes) else None


def head(chapter: Chapter, outcomes: list[Outcome], wide: bool) -> RenderableType:
    """The line of a chapter: its name, a bar if there is room, and the numbers."""
    standing = Standing(tuple(outcomes))
    numbers = Text(standing.summary.removesuffix("."))
    if not wide:
        return Text.assemble((named(chapter), "bold"), "  ", numbers)
    line = Table.grid(padding=(0, 2))
    line.add_column(width=max(len(named(chapter)) for chapter in chapters()))
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
    results = []
    for lesson, group in itertools.groupby(questions().values(), key=lambda item: item.lesson):
        path = folder.parent / "lessons" / f"{lesson}.ipynb"
        if path.is_file():
            names = [item.name for item in group]
            made = [tries for name, tries in tries_in(path).items() if name in names and tries[0]]
            right = sum(tried[0] == right for tried, right in made)
            results.append(Predicted(lesson, len(names), len(made), right))
    return tuple(results)


def standing(folder: Path) -> Standing:
    """The progress of the exercises in a folder, and of the lessons next to it."""
    return Standing(tuple(outcomes_in(folder)), predictions_beside(folder), folder)
