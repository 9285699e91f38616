"""A student's own parts in the engine: read from the exercises, checked, and put in place of ours."""

from __future__ import annotations

import contextlib
import dataclasses
import html
import itertools
import operator
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import minigrad
from minigrad_course.checks.exercise import Outcome, judged
from minigrad_course.checks.verdicts import SECONDS, SEED
from minigrad_course.parts import Chapter, Part, chapters
from minigrad_course.programs import program
from minigrad_course.programs.compare import difference
from minigrad_course.texts import source

OPEN = "still to be written"
using: dict[str, object] = {}  # the student's parts that are in the engine now, by name


@dataclasses.dataclass(frozen=True)
class Row:
    """Whose version of a part the engine uses, and why."""

    chapter: Chapter
    part: Part
    yours: bool
    why: str = ""
    answer: object = None

    @property
    def whose(self) -> str:
        return "yours" if self.yours else "ours"

    @property
    def spot(self) -> tuple[str, str, str]:
        """The place that the part replaces: parts of two chapters may share one."""
        place = self.part.place
        return place.kind, place.module, place.attribute


@dataclasses.dataclass(frozen=True)
class Table:
    """What `%myparts` shows: parts with the same owner for the same reason share a line."""

    rows: tuple[Row, ...]
    apart: tuple[str, ...] = ()  # checks that do not pass with all of them together

    @property
    def summary(self) -> str:
        yours = sum(row.yours for row in self.rows)
        count = len(self.rows)
        whose = f"{yours} of the engine's {count} parts {'is' if yours == 1 else 'are'} yours; the rest are ours."
        if yours == count:
            whose = f"All {count} parts of the engine are yours."
        elif not yours:
            first = next((row for row in self.rows if row.why != OPEN), self.rows[0])
            return (
                f"None of the engine's {count} parts is yours yet; all are ours. Begin with {first.part.name}, in "
                f"exercises/{first.chapter.name}.ipynb: once its check passes, it is yours."
            )
        whose += " Programs that you write or repair are not among them."
        if not self.apart:
            return whose
        return f"{whose} Together they do not pass {', '.join(self.apart)}: minigrad mine says which part is to blame."

    def lines(self) -> list[tuple[str, str, str, str]]:
        """Chapter, names of parts, owner, and reason; what is open is left out while nothing is done."""
        groups: dict[tuple[int, str, str], list[str]] = {}
        begun = any(row.yours for row in self.rows)
        told = [row for row in self.rows if begun or row.why != OPEN]
        for row in sorted(told, key=lambda row: (row.chapter.number, not row.yours)):
            groups.setdefault((row.chapter.number, row.whose, row.why), []).append(row.part.name)
        return [(str(number), ", ".join(names), whose, why) for (number, whose, why), names in groups.items()]

    def __repr__(self) -> str:
        lines = [self.summary]
        for number, rows in itertools.groupby(self.lines(), key=operator.itemgetter(0)):
            told = [f"{whose}: {names}{f' ({why})' if why else ''}" for _, names, whose, why in rows]
            lines += [f"chapter {number}", *(f"  {item}" for item in told)]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        if not (lines := self.lines()):
            return f"<p>{html.escape(self.summary)}</p>"
        left = 'style="text-align:left"'
        head = "".join(f'<th scope="col" {left}>{name}</th>' for name in ("chapter", "parts", "whose", "why"))
        body = "".join(
            "<tr>" + "".join(f"<td {left}>{html.escape(item)}</td>" for item in line) + "</tr>" for line in lines
        )
        caption = f"<caption {left}>{self.summary}</caption>"
        return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


class MyParts:
    """The student's parts that are in the engine until `off`."""

    def __init__(self) -> None:
        self.attached = contextlib.ExitStack()

    def use(self, folder: Path) -> Table:
        """Put every part that passes its check into the engine."""
        self.off()
        outcomes = list(engine_outcomes(folder))
        rows = [row(outcome) for outcome in outcomes]
        winners = {item.spot: item for item in rows if item.yours}  # of two in one place, the later one wins
        answers = {winner.part.name: winner.answer for winner in winners.values()}
        places = [winner.part.place for winner in winners.values()]
        self.attached.enter_context(program.attached(minigrad, places, answers))
        self.attached.callback(using.clear)
        using.update(answers)
        apart = tuple(
            outcome.check for outcome in outcomes if outcome.check in answers and objection(minigrad, outcome)
        )
        return Table(tuple(overruled(item, winners) for item in rows), apart)

    def off(self) -> None:
        """Go back to our own parts."""
        self.attached.close()


def overruled(row: Row, winners: dict[tuple[str, str, str], Row]) -> Row:
    """The row, with a note if a later part takes the same place."""
    winner = winners.get(row.spot, row)
    if not row.yours or winner is row:
        return row
    return dataclasses.replace(row, why=f"{winner.part.name} of chapter {winner.chapter.number} replaces it")


def engine_outcomes(folder: Path) -> Iterator[Outcome]:
    """Run the checks of all parts of the engine, one by one; programs to repair are not part of it."""
    for chapter in chapters():
        if wanted := [part.name for part in engine_parts(chapter)]:
            yield from judged(chapter, folder / f"{chapter.name}.ipynb", wanted)


def engine_parts(chapter: Chapter) -> list[Part]:
    """The parts of a chapter that belong to the engine."""
    return [part for part in chapter.parts if part.place.kind in ("engine", "operation")]


def objection(engine: ModuleType, outcome: Outcome) -> str:
    """Why the check of a part fails on an engine; "" if it prints the same as in the notebook."""
    text = source.read("solutions", outcome.chapter.name).programs()[outcome.check]
    run = program.run(text, engine, SEED, seconds=SECONDS)
    if run.problem:
        return run.problem.message.removesuffix(".")
    result = difference(run.text, outcome.verdict.text if outcome.verdict else "")
    return result.what if result else ""


def row(outcome: Outcome) -> Row:
    """Whose version of a part to use, given the result of its check."""
    part = outcome.chapter.part(outcome.check)
    if outcome.state == "passed":
        return Row(outcome.chapter, part, True, answer=outcome.answer)
    if outcome.state == "wrong":
        return Row(outcome.chapter, part, False, f"wrong: see minigrad check {part.name}")
    return Row(outcome.chapter, part, False, outcome.why or OPEN)
