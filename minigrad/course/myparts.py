"""A student's own parts in the engine: read from their exercises, judged by their checks, and put in place of ours."""

from __future__ import annotations

import contextlib
import dataclasses
import html
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import minigrad
from minigrad.course import program, source
from minigrad.course.checks import Verdict, judge
from minigrad.course.parts import Chapter, Part, chapters
from minigrad.course.program import Answers
from minigrad.course.reference import NoReference
from minigrad.course.submitted import Unreadable, code_cells, content_of, found_answers, loaded

OPEN = "still to be written"


@dataclasses.dataclass(frozen=True)
class Row:
    """Whose version of a part the engine uses, and why."""

    chapter: Chapter
    part: Part
    yours: bool
    why: str = ""
    answer: Any = None

    @property
    def whose(self) -> str:
        return "yours" if self.yours else "ours"

    @property
    def spot(self) -> tuple[str, str, str]:
        """What the part replaces: two chapters may have a part in the same place."""
        place = self.part.place
        return place.kind, place.module, place.attribute


@dataclasses.dataclass(frozen=True)
class Table:
    """What `%myparts` shows: parts that have the same owner for the same reason share a line."""

    rows: tuple[Row, ...]

    @property
    def summary(self) -> str:
        yours = sum(row.yours for row in self.rows)
        return f"{yours} of {len(self.rows)} parts are yours; the rest are ours."

    def lines(self) -> list[tuple[str, str, str, str]]:
        """Chapter, names of parts, whose they are, and why."""
        groups = itertools.groupby(self.rows, key=lambda row: (row.chapter.number, row.whose, row.why))
        return [
            (str(number), ", ".join(row.part.name for row in rows), whose, why) for (number, whose, why), rows in groups
        ]

    def __repr__(self) -> str:
        lines = [
            f"chapter {number}: {whose}: {names}" + (f" ({why})" if why else "")
            for number, names, whose, why in self.lines()
        ]
        return "\n".join([self.summary, *lines])

    def _repr_html_(self) -> str:
        head = "".join(f'<th scope="col">{each}</th>' for each in ("chapter", "parts", "whose", "why"))
        body = "".join(
            "<tr>" + "".join(f'<td style="text-align:left">{html.escape(each)}</td>' for each in line) + "</tr>"
            for line in self.lines()
        )
        return f"<table><caption>{self.summary}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


class MyParts:
    """The student's parts that are in the engine now, until `off`."""

    def __init__(self) -> None:
        self.attached = contextlib.ExitStack()

    def use(self, folder: Path) -> Table:
        """Put every part that passes its check into the engine, in place of what was there."""
        self.off()
        rows = list(judged_exercises(folder))
        winners = {row.spot: row for row in rows if row.yours}  # of two in one place the later stays
        answers = {row.part.name: row.answer for row in winners.values()}
        places = [row.part.place for row in winners.values()]
        self.attached.enter_context(program.attached(minigrad, places, answers))
        return Table(tuple(overruled(row, winners) for row in rows))

    def off(self) -> None:
        """Back to our own parts."""
        self.attached.close()


def overruled(row: Row, winners: dict[tuple[str, str, str], Row]) -> Row:
    """The row with a word about the later part that stands in the same place, if one does."""
    winner = winners.get(row.spot, row)
    if not row.yours or winner is row:
        return row
    return dataclasses.replace(row, why=f"{winner.part.name} of chapter {winner.chapter.number} stands in its place")


def exercises_folder(named: str = "") -> Path:
    """The folder that is named, else the exercises beside the lesson that runs, else those of the course."""
    if named:
        return Path(named).expanduser()
    names = [f"{chapter.name}.ipynb" for chapter in chapters()]
    for beside in (Path.cwd().parent / "exercises", Path.cwd()):
        if beside.name == "exercises" and any((beside / name).is_file() for name in names):
            return beside
    return source.notebooks_folder() / "exercises"


# --- judging -------------------------------------------------------------------------------------


def judged_exercises(folder: Path) -> Iterator[Row]:
    """A row for every part of the engine, of all chapters; a program to repair is no part of the engine."""
    for chapter in chapters():
        wanted = [part for part in chapter.parts if part.place.kind in ("engine", "operation")]
        if wanted:
            yield from judged(chapter, wanted, folder / f"{chapter.name}.ipynb")


def judged(chapter: Chapter, wanted: list[Part], path: Path) -> Iterator[Row]:
    """A row for each part of a chapter, from the exercise in a file."""
    try:
        answers, failures = handed_over(chapter, path)
    except Unreadable as error:
        for part in wanted:
            yield Row(chapter, part, False, f"{path.name}: {str(error).removesuffix('.')}")
        return
    programs = source.read("solutions", chapter.name).programs()
    for part in wanted:
        if part.name in failures:
            yield Row(chapter, part, False, failures[part.name])
            continue
        try:
            verdict = judge(chapter, part.name, programs[part.name], answers)
        except NoReference as error:
            yield Row(chapter, part, False, f"it could not be judged: {error}")
            continue
        if verdict.state == "passed":
            yield Row(chapter, part, True, answer=answers[part.name])
        else:
            yield Row(chapter, part, False, reason(verdict))


def reason(verdict: Verdict) -> str:
    """Why a part is not used, in a few words."""
    if verdict.state == "open":
        return OPEN
    if verdict.mistake:
        return f"wrong: {verdict.mistake.explanation}"
    return f"wrong: {verdict.headline.partition(': ')[2]}".removesuffix(".")


def handed_over(chapter: Chapter, path: Path) -> tuple[Answers, dict[str, str]]:
    """What the answer cells of an exercise hand over, and for each cell that failed a sentence. Unreadable if none can.

    The cells run in a namespace of their own, after our setup cell.
    """
    cells = code_cells(loaded(content_of(path)))
    sources = found_answers(source.notebook("exercises", chapter.name), cells, [])
    answers, failures = Answers(), {}
    namespace: dict[str, Any] = {"__name__": "__main__", "part": answers.part}
    for cell in source.read("solutions", chapter.name).cells:
        if cell.role == "setup":
            program.run_cell(cell.source, namespace)
        elif cell.role == "answer" and cell.part in sources:
            failure = program.run_cell(sources[cell.part], namespace)
            if failure:
                failures[cell.part] = failure.removesuffix(".")
    return answers, failures
