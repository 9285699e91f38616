"""Where are a student's exercises? One rule for the notebook's commands and the terminal's."""

from __future__ import annotations

import os
from pathlib import Path

from minigrad.course import source
from minigrad.course.parts import chapters

EXERCISES = "exercises"
OF_THE_COURSE = ("lessons", "solutions")  # their notebooks have the names of the exercises
COPY = Path("minigrad-course")  # what `minigrad lab` makes where no clone is


def holds_exercises(folder: Path) -> bool:
    """True if one of the course's exercises lies in the folder, by its name."""
    return any(os.path.isfile(folder / f"{chapter.name}.ipynb") for chapter in chapters())


def exercises_folder(named: str | Path = "") -> Path:
    """The folder of exercises: the one named, else here, else beside the lesson that runs, else that of the course.

    Of a named folder the `exercises` inside it count, if there are any. The folder need not exist if it was named.
    """
    if named:
        folder = Path(os.path.expanduser(named))
        return folder / EXERCISES if holds_exercises(folder / EXERCISES) else folder
    try:
        here = Path.cwd()
    except OSError:  # it was removed
        return source.notebooks_folder() / EXERCISES
    around = [here.parent / EXERCISES] if here.name in OF_THE_COURSE else [here, here / EXERCISES]
    for folder in (*around, here / COPY / EXERCISES):
        if holds_exercises(folder):
            return folder
    return source.notebooks_folder() / EXERCISES
