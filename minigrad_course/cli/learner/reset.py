"""`minigrad reset`: put the stub back in place of one answer. The old notebook is kept next to it."""

from __future__ import annotations

from typing import Annotated

import typer

from minigrad_course.cli.ending import FAILED, USAGE, WRONG, stop
from minigrad_course.cli.learner.student import (
    SUFFIX,
    Folder,
    PartName,
    agreed,
    demand_torch,
    exercises,
    is_pristine,
    part_called,
)
from minigrad_course.cli.screen import Screen
from minigrad_course.notebooks import renewal
from minigrad_course.texts.folders import typed, way_back
from minigrad_course.texts.submitted import Unreadable
from minigrad_course.texts.words import language_of


def reset(
    part: PartName,
    folder: Folder = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Put the original part back. It asks first, and saves a copy of the notebook."""
    chapter, _found = part_called(part)
    place, screen = exercises(folder), Screen()
    if is_pristine(place):
        stop("These notebooks belong to the course, without answers. For your own copy: minigrad start FOLDER", USAGE)
    demand_torch()
    path = place / f"{chapter.name}{SUFFIX}"
    try:
        notebook = renewal.read(path)
        before = renewal.text_of(notebook)
        if not renewal.without_answer(
            notebook, renewal.pristine("exercises", chapter.name, language_of(notebook)), part
        ):
            stop(
                f"No cell of {path} answers {part}. To get it back: minigrad start {typed(path.parent.parent)}", FAILED
            )
        after = renewal.text_of(notebook)
    except Unreadable as error:
        stop(f"{path}: {error} {way_back(path)}", FAILED)
    if after == before:
        screen.print(f"{part} is unchanged: nothing to reset.")
        return
    if not (yes or agreed(f"Discard your answer to {part} in {path}? A copy of the notebook is kept.")):
        stop("Nothing was changed.", WRONG)
    try:
        kept = renewal.backed_up(path)
        renewal.replace(path, after)
    except OSError as error:
        stop(f"{path} could not be changed: {error.strerror or error}.", FAILED)
    screen.print(f"The original {part} is back. Your old notebook: {kept}")
    screen.print("If it is open in JupyterLab: File, Reload Notebook from Disk.")
