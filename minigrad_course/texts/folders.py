"""Where are a student's exercises? One rule for notebook and terminal commands."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

from minigrad_course.parts import chapters
from minigrad_course.texts import source

EXERCISES = "exercises"
OF_THE_COURSE = ("lessons", "solutions")  # their notebooks have the same names as the exercises
BACKUPS = "backups"  # beside a notebook, with its earlier versions
FIRST_PAGE = "home.ipynb"  # of a learner's folder
COPY = Path("minigrad-course")  # what `minigrad lab` makes: here, or at the root of a clone, where git ignores it


def typed(folder: Path) -> str:
    """A folder as one types it after a command."""
    text = str(folder)
    return shlex.quote(text) if os.name != "nt" else f'"{text}"' if " " in text else text


def way_back(path: Path) -> str:
    """How to get a notebook that cannot be read, without a full stop."""
    kept = sorted((path.parent / BACKUPS).glob(f"{path.stem}.*"))
    earlier = f"; an earlier version: {kept[-1]}" if kept else ""
    away = "Move it away, and then" if os.path.lexists(path) else "To get it:"
    whole = Path(os.path.abspath(path))  # of `exercises/x.ipynb`, the parent's parent is "."
    course = typed(whole.parent.parent) if whole.parent.name == EXERCISES else "FOLDER"
    return f"{away} minigrad start {course}{earlier}"


def holds_exercises(folder: Path) -> bool:
    """True if the folder contains a file named like one of the course's exercises."""
    return any(os.path.isfile(folder / f"{chapter.name}.ipynb") for chapter in chapters())


def exercises_folder(named: str | Path = "") -> Path:
    """The exercise folder: the one named, else the current one, else the one next to the running lesson, else the
    course's own.

    A copy made by `minigrad lab`, here or in the clone, comes before its original. If a named folder contains
    `exercises`, or is the lessons beside it, that is used. A named folder does not have to exist.
    """
    if named:
        folder = Path(os.path.expanduser(named))
        inside = (folder.parent if folder.name in OF_THE_COURSE else folder) / EXERCISES
        return inside if holds_exercises(inside) else folder
    try:
        here = Path.cwd()
    except OSError:  # it was removed
        return of_the_course()
    return next(filter(holds_exercises, near(here)), of_the_course())


def near(here: Path) -> tuple[Path, ...]:
    """Where exercises may be, seen from a folder: in the course that it belongs to, or in a copy beside it."""
    own = here.parent / EXERCISES if here.name in OF_THE_COURSE else here
    return own, here / COPY / EXERCISES, here / EXERCISES


def courses_below(here: Path) -> list[Path]:
    """The folders right below one that hold a course, by their names."""
    return sorted(path.parent for path in here.glob(f"*/{EXERCISES}") if holds_exercises(path))


def of_the_course() -> Path:
    """The exercises of the course itself, or, in a clone, those in the reader's copy if there is one."""
    root = source.notebooks_folder()
    return next(filter(holds_exercises, [root / COPY / EXERCISES]), root / EXERCISES)
