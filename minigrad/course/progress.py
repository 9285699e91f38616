"""How far has a student come? One table for terminal and notebook, read from the exercises and lessons each time."""

from __future__ import annotations

import dataclasses
import html
import io
import itertools
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from minigrad.course.exercise import Outcome, judged
from minigrad.course.parts import Chapter, chapters
from minigrad.course.predictions import questions
from minigrad.course.tries import tries_in

MARKS = {"done": "✓ done", "wrong": "✗ wrong", "open": "… open", "unknown": "? unknown"}
STYLES = {"done": "green", "wrong": "red", "open": "blue", "unknown": "yellow"}
HEADS = ("chapter", "part", "state", "what")
BAR = 30  # columns
NARROW = 72  # below, the four columns would break words
WIDTH = 100  # of the text in a notebook


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

    def count(self, state: str) -> int:
        """The number of checks in a state."""
        return sum(each.state == state for each in self.outcomes)

    @property
    def summary(self) -> str:
        """The numbers, in a sentence."""
        others = [f"{self.count(state)} {state}" for state in ("wrong", "open", "unknown") if self.count(state)]
        return ", ".join([f"{self.count('done')} of {len(self.outcomes)} done", *others]) + "."

    @property
    def next(self) -> str:
        """What to do next, in a sentence."""
        found = next((each for each in self.outcomes if each.state != "done"), None)
        if found is None:
            return "Everything is done."
        where = f"exercises/{found.chapter.name}.ipynb"
        if found.state == "unknown":
            return f"Next: {where}, which cannot be judged."
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
            return f"Predictions: none of {sum(each.asked for each in self.predictions)} made."
        return f"Predictions: {'; '.join(each.summary for each in begun)}."

    def rows(self, brief: bool = False) -> list[tuple[str, str, str, str]]:
        """Chapter, check, state and reason; the chapter only in its first row, a shared reason only once.

        If `brief`, a chapter that has not been started is one row.
        """
        rows = []
        for chapter, group in itertools.groupby(self.outcomes, key=lambda each: each.chapter):
            outcomes = list(group)
            name, before = title(chapter, outcomes), ""
            if brief and all(each.state == "open" and not each.why for each in outcomes):
                rows.append((name, f"{len(outcomes)} checks", "open", ""))
                continue
            for each in outcomes:
                rows.append((name, each.check, each.state, "" if each.why == before else each.why))
                name, before = "", each.why
        return rows

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        summary = Text(self.summary)
        if options.max_width < NARROW:
            yield from self.narrow()
            yield Group(Text(), summary, *self.sentences())
            return
        table = Table(box=None, pad_edge=False)
        for head in HEADS:
            table.add_column(head, overflow="fold", no_wrap=head in ("part", "state"))
        for name, check, state, why in self.rows():
            table.add_row(name, check, Text(MARKS[state], STYLES[state]), Text(why))
        line = Table.grid(padding=(0, 1))
        bar = ProgressBar(total=max(1, len(self.outcomes)), completed=self.count("done"), width=BAR)
        line.add_row(bar, summary)
        yield Group(table, Text(), line, *self.sentences())

    def sentences(self) -> list[Text]:
        """The sentences below the numbers."""
        return [Text(each) for each in (self.predicted, self.next) if each]

    def narrow(self) -> Iterator[RenderableType]:
        """The table for narrow terminals: one column."""
        for name, check, state, why in self.rows():
            if name:
                yield Text(name, "bold")
            yield Text.assemble("  ", (MARKS[state], STYLES[state]), "  ", check)
            if why:
                yield Padding(Text(why), (0, 0, 0, 4))

    def __repr__(self) -> str:
        written = io.StringIO()
        Console(file=written, width=WIDTH, color_system=None, force_jupyter=False).print(self)
        return "\n".join(line.rstrip() for line in written.getvalue().splitlines())

    def _repr_html_(self) -> str:
        head = "".join(f'<th scope="col" style="text-align:left">{each}</th>' for each in HEADS)
        body = "".join(
            "<tr>"
            + "".join(
                f'<td style="text-align:left">{html.escape(text)}</td>' for text in (name, check, MARKS[state], why)
            )
            + "</tr>"
            for name, check, state, why in self.rows(brief=True)
        )
        done, most = self.count("done"), max(1, len(self.outcomes))
        bar = f'<progress aria-label="Parts done" value="{done}" max="{most}"></progress> {html.escape(self.summary)}'
        below = "<br>".join([bar, *(html.escape(each.plain) for each in self.sentences())])
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><p>{below}</p>"


def title(chapter: Chapter, outcomes: list[Outcome]) -> str:
    """`1 scalar backward (3 of 7)`."""
    name = chapter.name.partition("_")[2].replace("_", " ")
    return f"{chapter.number} {name} ({sum(each.state == 'done' for each in outcomes)} of {len(outcomes)})"


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
    return Standing(tuple(outcomes_in(folder)), predictions_beside(folder))
