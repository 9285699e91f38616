"""`minigrad start`: copy the course's notebooks into the student's own folder, and later update them there.

Nothing a student wrote is lost: answers and added cells stay in the updated notebook, and a file is backed up before
it is changed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from minigrad.commands.ending import FAILED, INTERRUPTED, RIGHT, USAGE, stop
from minigrad.commands.student import SUFFIX, absolute, console, demand_torch
from minigrad.course import builder, home, renewal, source
from minigrad.course.folders import FIRST_PAGE
from minigrad.course.submitted import Unreadable


def start(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Your folder; created if it does not exist.")],
) -> None:
    """Copy the notebooks into a folder of your own.

    If the folder exists, update the notebooks and keep your answers and added cells.
    """
    target = absolute(folder)
    if target.resolve() == source.notebooks_folder().resolve():
        stop(f"{target} is the course itself. Name another folder.", USAGE)
    if os.path.lexists(target) and not os.path.isdir(target):
        stop(f"{target} is a file. Name a folder.", USAGE)
    demand_torch()
    screen, failed = console(), False
    try:
        for path, sentence, good in renewals(target):
            failed = failed or not good
            screen.print(f"{path.relative_to(target)}: {sentence}", style=None if good else "red", soft_wrap=True)
    except KeyboardInterrupt:
        stop("Interrupted. The notebooks listed above are done; run the command again for the rest.", INTERRUPTED)
    except (builder.Refused, source.BadSource) as error:
        stop(str(error), FAILED)
    if not failed:
        screen.print(f"To work there: cd {target}, then minigrad lab, or minigrad status.", soft_wrap=True)
    raise typer.Exit(FAILED if failed else RIGHT)


def renewals(target: Path) -> Iterator[tuple[Path, str, bool]]:
    """Put every notebook into `target`; yields its path, what was done, and whether it succeeded."""
    yield first_page(target / FIRST_PAGE)
    for kind in source.KINDS:
        for name in source.names(kind):
            path = target / kind / f"{name}{SUFFIX}"
            try:
                yield path, brought(path, renewal.pristine(kind, name)), True
            except Unreadable as error:
                yield path, f"left unchanged: {error} Move it away and run the command again to get a new one.", False
            except OSError as error:
                yield path, f"could not be written: {error.strerror or error}.", False


def first_page(path: Path) -> tuple[Path, str, bool]:
    """Put the first page there. One that was changed is left as it is: it holds nothing that cannot be made anew."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if renewal.write_new(path, renewal.text_of(home.page())):
            return path, "new.", True
        if home.is_ours(renewal.read(path)):
            return path, "up to date.", True
    except Unreadable as error:
        return path, f"left unchanged: {error} Move it away and run the command again to get a new one.", False
    except OSError as error:
        return path, f"could not be written: {error.strerror or error}.", False
    return path, "left unchanged. For a new one, move it away and run the command again.", True


def brought(path: Path, new: object) -> str:
    """Write the notebook `new`, with everything the student wrote in the old file; returns what was done, in words."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if renewal.write_new(path, renewal.text_of(new)):
        return "new."
    old = renewal.read(path)
    made = renewal.renewed(new, old)
    if made == old:
        return "up to date."
    content = renewal.text_of(made)
    if renewal.differ_in_notes(made, old):  # `minigrad lab` copies notebooks without our notes
        renewal.replace(path, content)
        return "up to date."
    kept = renewal.backed_up(path)
    renewal.replace(path, content)
    yours = "" if renewal.is_untouched(old) else ", and your work is kept"
    return f"updated{yours}. The old version: {kept.relative_to(path.parent.parent)}"
