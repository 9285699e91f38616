"""`minigrad check`: the verdict of `%%check`, for an exercise as it was last saved."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from minigrad_course.checks.exercise import Outcome, judged
from minigrad_course.cli.learner.shown import in_brief, told, total
from minigrad_course.cli.learner.student import (
    SUFFIX,
    Folder,
    check_names,
    checks_called,
    demand_torch,
    exercises,
    folder_in,
    followed,
    found_by,
    status_of,
)
from minigrad_course.cli.screen import Screen
from minigrad_course.learner.progress import Standing
from minigrad_course.parts import Chapter


def check(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME",
            help="A part such as mul, a last check such as chapter1, or a whole chapter: its number, name or notebook. "
            "There can be several.",
            autocompletion=check_names,
        ),
    ],
    folder: Folder = None,
    every: Annotated[
        bool, typer.Option("--all", "-a", help="Show every line that was printed, yours and torch's.")
    ] = False,
) -> None:
    """Check parts, or all parts of a chapter, as last saved. The output is compared with torch's.

    The answers run as your own programs do; for the work of other people there is minigrad grade.
    """
    called = {name: checks_called(name) for name in names}
    demand_torch()
    screen = Screen()
    places = {name: exercises(folder_in(name, folder)) for name in called}
    last, where = names[-1], found_by(folder)
    raise typer.Exit(
        max(checked(*called[name], place, every, screen, name == last, where) for name, place in places.items())
    )


def checked(
    chapter: Chapter, checks: list[str], folder: Path, every: bool, screen: Screen, last: bool, where: str
) -> int:
    """Judge some checks of a chapter, and show the verdicts; the exit status.

    last: whether to say what is next; where: the option that further commands need to find the folder.
    """
    outcomes: list[Outcome] = []

    def seen() -> Iterator[Outcome]:
        for outcome in followed(judged(chapter, folder / f"{chapter.name}{SUFFIX}", checks), len(checks), screen):
            outcomes.append(outcome)
            yield outcome

    whole = len(checks) > 1
    for text in in_brief(seen()) if whole and not every else (told(item, every, where=where) for item in seen()):
        screen.print(text)
    if whole:
        total(tuple(outcomes), screen, last, where)
    elif outcomes[0].state == "passed" and last:
        all_of_it = judged(chapter, folder / f"{chapter.name}{SUFFIX}", chapter.checks)
        screen.print(f"   {Standing(tuple(all_of_it)).next}")
    return status_of(outcomes)
