"""`minigrad start`: copy the course's notebooks into the student's own folder, and later update them there.

Nothing a student wrote is lost: answers and added cells stay in the updated notebook, and a file is backed up before
it is changed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from minigrad_course.cli.ending import FAILED, INTERRUPTED, RIGHT, USAGE, stop
from minigrad_course.cli.learner.student import SUFFIX, Beside, absolute, current, demand_place, demand_torch
from minigrad_course.cli.screen import Screen
from minigrad_course.learner import home
from minigrad_course.notebooks import builder, renewal
from minigrad_course.texts import source
from minigrad_course.texts.folders import FIRST_PAGE, typed
from minigrad_course.texts.submitted import Unreadable, language_in
from minigrad_course.texts.words import languages

if TYPE_CHECKING:
    from nbformat import NotebookNode

known = ", ".join(languages())

NEW, SAME = "copied", "up to date"
APART = 3  # files about which the same is to be said, before they are only counted


def start(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Your folder; created if it does not exist.")],
    language: Annotated[
        str | None,
        typer.Option(
            "--language", metavar="CODE", help=f"Exercises in another language, where there are any: {known}."
        ),
    ] = None,
    yes: Beside = False,
) -> None:
    """Copy the notebooks into a folder of your own.

    If the folder exists, update the notebooks and keep your answers and added cells.
    """
    if language not in (None, "en", *languages()):
        stop(f"The course is not translated into {language!r}. Choose en or {known}.", USAGE)
    target = absolute(folder)
    if target.resolve() == source.notebooks_folder().resolve():
        stop(f"{target} is the course itself. Name another folder.", USAGE)
    if os.path.lexists(target) and not os.path.isdir(target):
        stop(f"{target} is a file. Name a folder.", USAGE)
    demand_torch()
    screen, good, done = Screen(), True, dict[str, list[Path]]()
    try:
        demand_place(target, yes)
        target.mkdir(parents=True, exist_ok=True)
        for path, sentence, well in renewals(target, language):
            good = good and well
            done.setdefault(sentence, []).append(path.relative_to(target))
    except KeyboardInterrupt:
        stop("Interrupted. What was written is whole; run the command again for the rest.", INTERRUPTED)
    except OSError as error:
        stop(f"{target} cannot be read or written: {error.strerror or error}.", FAILED)
    except (builder.Refused, source.BadSource) as error:
        stop(str(error), FAILED)
    for line in told(done, target):
        screen.print(line)
    if good:
        there = current()
        way = "" if there and there.resolve() == target.resolve() else f"To work there: cd {typed(target)}\n"
        screen.print(f"{way}minigrad lab opens the course, and minigrad status shows what to do next.")
    raise typer.Exit(RIGHT if good else FAILED)


def told(done: dict[str, list[Path]], target: Path) -> Iterator[str]:
    """What was done, in lines: the usual is counted, and so is what happened to many for one reason."""
    for sentence, paths in done.items():
        count = f"{len(paths)} notebook{'s' if len(paths) > 1 else ''}"
        if sentence == NEW:
            yield f"{count} copied to {target}."
        elif sentence == SAME:
            yield f"{count} up to date."
        elif len(paths) > APART:
            yield f"{count}: {sentence}"
        else:
            yield from (f"{path}: {sentence}" for path in paths)


def renewals(target: Path, language: str | None) -> Iterator[tuple[Path, str, bool]]:
    """Put every notebook into `target`; yields its path, what was done, and whether it succeeded.

    language: None for that of the notebook which is there already.
    """
    yield first_page(target / FIRST_PAGE)
    for kind in source.KINDS:
        for name in source.names(kind):
            path = target / kind / f"{name}{SUFFIX}"
            try:
                spoken = language_in(path) if language is None else language.removeprefix("en")
                yield path, brought(path, renewal.pristine(kind, name, spoken)), True
            except Unreadable as error:
                yield path, f"left unchanged: {error} Move it away and run the command again to get a new one.", False
            except OSError as error:
                yield path, f"could not be written: {error.strerror or error}.", False


def first_page(path: Path) -> tuple[Path, str, bool]:
    """Put the first page there. One that was changed is left as it is: it holds nothing that cannot be made anew."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() and renewal.write_new(path, renewal.text_of(home.page())):
            return path, NEW, True
        if home.is_ours(renewal.read(path)):
            return path, SAME, True
    except Unreadable as error:
        return path, f"left unchanged: {error} Move it away and run the command again to get a new one.", False
    except OSError as error:
        return path, f"could not be written: {error.strerror or error}.", False
    return path, "left unchanged. For a new one, move it away and run the command again.", True


def brought(path: Path, new: NotebookNode) -> str:
    """Write the notebook `new`, with everything the student wrote in the old file; returns what was done, in words."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() and renewal.write_new(path, renewal.text_of(new)):  # to make its text takes long
        return NEW
    old = renewal.read(path)
    made = renewal.renewed(new, old)
    if made == old:
        return SAME
    content = renewal.text_of(made)
    if renewal.differ_in_notes(made, old):  # `minigrad lab` copies notebooks without our notes
        renewal.replace(path, content)
        return SAME
    kept = renewal.backed_up(path)
    renewal.replace(path, content)
    yours = "" if renewal.is_untouched(old) else ", and your work is kept"
    return f"updated{yours}. The old version: {kept.relative_to(path.parent.parent)}"
