"""`minigrad mine`: write the student's own engine as a package, or as one file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from minigrad_course.checks.myparts import engine_outcomes, engine_parts
from minigrad_course.cli.ending import FAILED, RIGHT, USAGE, stop
from minigrad_course.cli.learner.student import Folder, absolute, demand_torch, exercises, followed, is_pristine
from minigrad_course.cli.screen import Screen
from minigrad_course.learner import mine as packages
from minigrad_course.learner import small
from minigrad_course.parts import chapters
from minigrad_course.texts.folders import typed
from minigrad_course.texts.submitted import Unreadable


def mine(
    target: Annotated[
        Path | None,
        typer.Argument(
            metavar="WHERE",
            help=f"Where to write it. Default: {packages.FOLDER}, or {small.FILE} with --small, beside your exercises.",
            show_default=False,
        ),
    ] = None,
    one_file: Annotated[
        bool, typer.Option("--small", help="Write one file: your parts, and the glue between them.")
    ] = False,
    folder: Folder = None,
) -> None:
    """Write your own engine as a Python package, or with --small as one file: your parts where they pass, ours
    elsewhere.
    """
    demand_torch()
    place, screen = exercises(folder), Screen()
    beside = Path() if is_pristine(place) else absolute(place).parent
    where = absolute(target or beside / (small.FILE if one_file else packages.FOLDER))
    parts_of, run = (small.parts_of, small.small_outcomes) if one_file else (engine_parts, engine_outcomes)
    total = sum(len(parts_of(chapter)) for chapter in chapters())
    try:
        (small if one_file else packages).written_before(where)  # now, rather than after a minute of judging
        outcomes = list(followed(run(place), total, screen))
        if unknown := [outcome.why for outcome in outcomes if outcome.state == "unknown"]:
            stop(f"{unknown[0]}. Nothing was written.", FAILED)
        if one_file:
            tell_small(where, small.engine(outcomes, place, where.name), screen)
            raise typer.Exit(RIGHT)
        made = packages.engine(outcomes, place)
        changed = packages.write(where, made.files)
    except packages.Taken as error:
        stop(str(error), USAGE)
    except Unreadable as error:
        stop(f"An exercise changed while this ran: {error} Nothing was written.", FAILED)
    except OSError as error:
        stop(f"{error.filename or where} cannot be read or written: {error.strerror or error}.", FAILED)
    screen.print(repr(made.table))
    if made.apart:
        screen.print("Together with your other parts, these checks do not pass:")
        for part, why in made.apart.items():
            screen.print(f"  {part}: {why}.")
    screen.print(packages.said_of_writing(where, changed))
    screen.print(packages.said_of_size(made.files))
    if any(row.yours for row in made.table.rows):
        screen.print(f"Its {packages.README} tells you which lines are yours.")
    screen.print("To train with it:")
    screen.print(f"  cd {typed(where)}")
    screen.print(f"  python {packages.SCRIPT}")
    raise typer.Exit(RIGHT)


def tell_small(where: Path, made: small.Small, screen: Screen) -> None:
    """Write the one file, and say what it is and what it can do."""
    changed = small.write(where, made.text)
    screen.print(repr(made.table))
    screen.print(packages.said_of_writing(where, changed))
    for line in small.said_of(made):
        screen.print(line)
