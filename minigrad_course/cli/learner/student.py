"""Shared by the student's commands: which folder, which checks, and how to show a verdict."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.progress import track

from minigrad_course import parts
from minigrad_course.checks import reference
from minigrad_course.checks.exercise import Outcome
from minigrad_course.cli.ending import FAILED, INTERRUPTED, RIGHT, USAGE, WRONG, say, stop
from minigrad_course.cli.screen import Screen
from minigrad_course.grading.people.given import likely
from minigrad_course.parts import Chapter, Part
from minigrad_course.texts import source
from minigrad_course.texts.folders import (
    COPY,
    EXERCISES,
    FIRST_PAGE,
    courses_below,
    exercises_folder,
    holds_exercises,
    near,
    typed,
)

STATUS = {"passed": RIGHT, "wrong": WRONG, "open": WRONG, "unknown": FAILED}
SUFFIX = ".ipynb"
LONGEST = 60  # characters of a wrong name that are repeated
MOST = 3  # folders that are named


# --- what a student types ------------------------------------------------------------------------


def part_names(incomplete: str) -> list[tuple[str, str]]:
    """The parts that start with the typed text and what they are, for shell completion."""
    return [
        (part.name, f"chapter {chapter.number}, about {part.minutes} minutes")
        for chapter in parts.chapters()
        for part in chapter.parts
        if part.name.startswith(incomplete)
    ]


def check_names(incomplete: str) -> list[tuple[str, str]]:
    """The parts, last checks and chapters that start with the typed text, and what they are."""
    results = part_names("")
    for chapter in parts.chapters():
        results.append((chapter.together, f"all parts of chapter {chapter.number} together"))
        results += [(name, f"all checks of chapter {chapter.number}") for name in (str(chapter.number), chapter.name)]
    return [(name, what) for name, what in results if name.startswith(incomplete)]


Folder = Annotated[
    Path | None,
    typer.Option(
        "--folder",
        "-f",
        metavar="FOLDER",
        help="The folder with your exercises. Default: found here or below, else the copy that `minigrad lab` made.",
        show_default=False,
    ),
]
Beside = Annotated[
    bool, typer.Option("--yes", "-y", help="Do not ask before the course goes beside other files in the folder.")
]
PartName = Annotated[str, typer.Argument(metavar="PART", help="A part, such as mul.", autocompletion=part_names)]


def absolute(folder: Path) -> Path:
    """A folder's full path. Ends the command if there is none, because the current folder has been deleted."""
    try:
        return Path(os.path.abspath(os.path.expanduser(folder)))
    except OSError:
        stop("The current folder no longer exists: cd to another one.", USAGE)


def exercises(folder: Path | None) -> Path:
    """The student's exercise folder; stderr names it unless one stands in it. Ends the command if it holds none."""
    result = exercises_folder(folder or "")
    demand_folder(result)
    if not holds_exercises(result):
        below = courses_below(absolute(result)) if folder else []
        if len(below) == 1:
            say(f"Exercises: {below[0] / EXERCISES}")
            return below[0] / EXERCISES
        inside = (
            f" itself, but in {' and '.join(str(item) for item in below[:MOST])}: name one of them" if below else ""
        )
        copy = inside or ". To get a copy of the course: minigrad start FOLDER"
        stop(f"There are no exercises in {absolute(result)}{copy}", USAGE)
    here = current()
    if folder is None and (here is None or result not in near(here)):
        below = list(filter(is_copy, courses_below(absolute(Path()))))
        yours = (
            f"Yours: {' or '.join(f'cd {typed(item)}' for item in below[:MOST])}{', and more' if below[MOST:] else ''}"
            if below
            else "For a copy of your own: minigrad start FOLDER"
        )
        if result.parent.name != COPY.name:
            if len(below) == 1:
                say(f"Exercises: {below[0] / EXERCISES}")
                return below[0] / EXERCISES
            stop(f"There is no course in this folder. {yours}", USAGE)
        say(f"No course in this folder. These exercises are those of your copy: {result}\n{yours}")
    elif here not in ((place := absolute(result)), place.parent) and (here is None or here.parent != place.parent):
        say(f"Exercises: {result}")
    return result


def demand_folder(named: Path) -> None:
    """End the command unless this is a folder."""
    if os.path.isfile(named):
        stop(f"{named} is a file. Name the folder that it is in.", USAGE)
    if not os.path.isdir(named):
        stop(f"There is no folder {named}.", USAGE)


def current() -> Path | None:
    """The current folder; None if it has been removed."""
    try:
        return Path.cwd()
    except OSError:
        return None


def is_pristine(folder: Path) -> bool:
    """True for the notebooks inside an installed package, which nobody should write to."""
    return not source.is_clone() and folder.resolve() == (source.notebooks_folder() / EXERCISES).resolve()


def part_called(name: str) -> tuple[Chapter, Part]:
    """A part and its chapter. Ends the command if no part has that name."""
    chapter = parts.chapter_of(name)
    if chapter is None:
        if whole := chapter_called(name):
            stop(f"{name} is a chapter. Name one of its parts: {', '.join(part.name for part in whole.parts)}.", USAGE)
        unknown(name, [known for known, _ in part_names("")], together=False)
    if name == chapter.together:
        named = ", ".join(part.name for part in chapter.parts)
        stop(f"{name} checks all parts of chapter {chapter.number} together. Name one of them: {named}.", USAGE)
    return chapter, chapter.part(name)


def checks_called(name: str) -> tuple[Chapter, list[str]]:
    """The checks a name refers to: one, or those of a whole chapter. Ends the command if there are none."""
    name = name if parts.chapter_of(name) else name.lower()
    if chapter := parts.chapter_of(name):
        return chapter, [name]
    if chapter := chapter_called(name):
        return chapter, chapter.checks
    unknown(name, [known for known, _ in check_names("") if not known.isdigit()])


def chapter_called(name: str) -> Chapter | None:
    """The chapter of that number, name or notebook."""
    whole = Path(name).name.removesuffix(SUFFIX).replace(" ", "_")
    return next((chapter for chapter in parts.chapters() if whole in names_of(chapter)), None)


def names_of(chapter: Chapter) -> tuple[str, ...]:
    """Of chapter 1: `01_scalar_backward`, `scalar_backward`, `01` and `1`."""
    number, _, title = chapter.name.partition("_")
    return chapter.name, title, number, str(chapter.number)


def unknown(name: str, known: list[str], together: bool = True) -> NoReturn:
    """End the command: nothing has this name."""
    shown = name if len(name) <= LONGEST else f"{name[:LONGEST]}…"
    if name.removeprefix("chapter").isdecimal():
        stop(f"There is no chapter {shown.removeprefix('chapter')}. Choose one of {chapters_to_choose()}.", USAGE)
    chapter = next((chapter for chapter in parts.chapters() if name.lower() in chapter.folder.split("_")), None)
    if chapter and name not in known:
        meant = f"{chapter.number}, the chapter {chapter.folder.replace('_', ' ')}"
        stop(f"Nothing is called {shown!r}. Did you mean {meant}?", USAGE)
    if meant := likely(name, known):
        stop(f"Nothing is called {shown!r}. Did you mean {meant}?", USAGE)
    stop(f"Nothing is called {shown!r}. {catalogue(together)}", USAGE)


def chapters_to_choose() -> str:
    """The chapters, in words."""
    return ", ".join(f"{chapter.number} ({chapter.folder.replace('_', ' ')})" for chapter in parts.chapters())


def catalogue(together: bool = True) -> str:
    """What there is to check, by chapter, with the checks of all parts `together` or without."""
    known = {
        chapter.number: chapter.checks if together else [part.name for part in chapter.parts]
        for chapter in parts.chapters()
    }
    names = (f"  {number}: {', '.join(checks)}" for number, checks in known.items())
    return "\n".join(["The chapters and their parts are", *names])


def demand_place(target: Path, beside: bool) -> None:
    """End the command unless a copy of the course may go there: not into another, beside other files if agreed."""
    if (target / FIRST_PAGE).exists() or holds_exercises(target / EXERCISES):
        return
    if around := next((parent for parent in target.parents if is_copy(parent)), None):
        stop(f"{target} is inside the course in {around}. To update that one: minigrad start {typed(around)}", USAGE)
    # hidden files, such as git's, do not count
    if beside or not target.exists() or all(path.name.startswith(".") for path in target.iterdir()):
        return
    if not sys.stdin.isatty():
        stop(f"{target} holds other files. Name a new folder, or add --yes to put the course beside them.", USAGE)
    if not agreed(f"{target} holds other files. Put the course beside them?"):
        stop("Nothing was written.", WRONG)


def is_copy(folder: Path) -> bool:
    """True for a copy of the course that somebody works in; a clone of it, and an installed one, has its texts too."""
    return holds_exercises(folder / EXERCISES) and not (folder / "lessons" / "source").exists()


def agreed(question: str) -> bool:
    """True if the person says yes; Ctrl-C and end of input mean no."""
    try:
        return typer.confirm(str(Screen().fitted(question)))
    except typer.Abort:
        typer.echo()
        return False


def found_by(folder: Path | None) -> str:
    """The option with which another command finds the folder that was named, with a blank before it."""
    return f" -f {typed(folder)}" if folder else ""


def folder_in(name: str, folder: Path | None) -> Path | None:
    """The folder to read: the one named, else the folder of the named notebook."""
    return Path(name).parent if folder is None and name.endswith(SUFFIX) else folder


# --- judging and showing -------------------------------------------------------------------------


def demand_torch() -> None:
    """End the command where torch is missing: nothing can be judged without it."""
    if importlib.util.find_spec("torch") is None:
        stop("torch is not installed, and answers are compared with it: pip install torch", FAILED)
    reference.set_only_references("torch" not in sys.modules)


def followed(outcomes: Iterable[Outcome], total: int, screen: Screen) -> Generator[Outcome]:
    """The outcomes one by one, with a progress bar on a terminal, or a spinner for one. Ctrl-C ends the command."""
    quiet = not screen.is_terminal
    try:
        if total == 1 and not quiet:
            with screen.status("judging"):
                first = list(outcomes)
            outcomes, quiet = first, True
        yield from track(outcomes, "judging", total=total, console=screen, disable=quiet, transient=True)
    except KeyboardInterrupt:
        stop("Interrupted.", INTERRUPTED)


def status_of(outcomes: Iterable[Outcome]) -> int:
    """The exit status for some outcomes: the worst one's."""
    return max((STATUS[outcome.state] if outcome.verdict else FAILED for outcome in outcomes), default=RIGHT)
