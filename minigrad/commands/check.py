"""`minigrad check`: the verdict of `%%check`, for an exercise as it was last saved."""

from __future__ import annotations

from typing import Annotated

import typer

from minigrad.commands.student import (
    SUFFIX,
    Folder,
    check_names,
    checks_called,
    console,
    demand_torch,
    exercises,
    folder_in,
    followed,
    status_of,
    told,
    told_among_others,
)
from minigrad.course.exercise import Outcome, judged


def check(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="A part such as mul, a last check such as chapter1, or a whole chapter: its number, name or notebook.",
            autocompletion=check_names,
        ),
    ],
    folder: Folder = None,
) -> None:
    """Check one part, or all parts of a chapter, as last saved. The output is compared with torch's."""
    chapter, checks = checks_called(name)
    demand_torch()
    place, screen = exercises(folder_in(name, folder)), console()
    outcomes: list[Outcome] = []
    before = ""
    for outcome in followed(judged(chapter, place / f"{chapter.name}{SUFFIX}", checks), len(checks), screen):
        if len(checks) > 1:
            sentence = told_among_others(outcome)
            if sentence != before:
                screen.print(sentence, soft_wrap=True)
            before = sentence
        else:
            screen.print(outcome.verdict.text if outcome.verdict else "", end="", soft_wrap=True)
            screen.print(told(outcome), soft_wrap=True)
        outcomes.append(outcome)
    raise typer.Exit(status_of(outcomes))
