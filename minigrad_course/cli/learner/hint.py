"""`minigrad hint`: show the next hint for a part."""

from __future__ import annotations

import contextlib
from typing import Annotated

import typer
from rich.text import Text

from minigrad_course.checks import hint_log
from minigrad_course.checks.exercise import judged
from minigrad_course.checks.hints import next_hint
from minigrad_course.cli.ending import RIGHT
from minigrad_course.cli.learner.student import (
    SUFFIX,
    Folder,
    chapter_called,
    check_names,
    demand_torch,
    exercises,
    followed,
    found_by,
    part_called,
)
from minigrad_course.cli.screen import Screen
from minigrad_course.texts.submitted import language_in


def hint(
    name: Annotated[
        str,
        typer.Argument(
            metavar="PART",
            help="A part, such as mul; or a chapter, for the first of its parts that does not pass.",
            autocompletion=check_names,
        ),
    ],
    folder: Folder = None,
) -> None:
    """Show the next hint for a part; %hint in a notebook continues from there."""
    whole = chapter_called(name)
    chapter = whole or part_called(name)[0]
    place, screen = exercises(folder), Screen()
    path = place / f"{chapter.name}{SUFFIX}"
    if whole:
        demand_torch()
        names = [part.name for part in whole.parts]
        with contextlib.closing(followed(judged(whole, path, names), len(names), screen)) as outcomes:
            name = next((outcome.check for outcome in outcomes if outcome.state != "passed"), "")
        if not name:
            screen.print(f"Every part of chapter {whole.number} passes.")
            raise typer.Exit(RIGHT)
        screen.print(f"Chapter {whole.number}: next is {name}.")
    before = hint_log.times(place, "hint", name)
    text, shown = next_hint(
        chapter.part(name), before, f"minigrad solution {name}{found_by(folder)}", language_in(path)
    )
    if max(before, shown) >= len(chapter.part(name).hints):  # all were seen: our answer need not be asked for twice
        hint_log.note(place, "solution", name, 1)
    words = Text(text)
    words.highlight_regex(r"(?m)^\w+ \d+ \w+ \d+:", "bold blue")
    screen.print(words)
    hint_log.note(place, "hint", name, shown)
