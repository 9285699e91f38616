"""`minigrad build`: build the notebooks from their sources, or check that they are up to date."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.progress import track

from minigrad_course.checks.reference import begin_to_import_torch
from minigrad_course.cli.ending import FAILED, INTERRUPTED, USAGE, stop
from minigrad_course.cli.screen import Screen
from minigrad_course.notebooks import builder, renewal
from minigrad_course.texts import languages, source


def build(
    notebooks: Annotated[
        list[str] | None, typer.Argument(metavar="NOTEBOOK", help="Only these: exercises/01, or 01 for all three.")
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Write nothing; fail if a notebook is stale.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite even exercises that hold answers.")] = False,
) -> None:
    """Build the notebooks from their sources. An exercise that holds answers is not overwritten."""
    jobs = [job for typed in notebooks or () for job in found(typed)]
    raise typer.Exit(made(check, force, Screen(), jobs or None))


def found(typed: str) -> list[tuple[str, str]]:
    """The notebooks that are meant. Ends the command if there are none."""
    meant = builder.called(typed)
    if not meant:
        known = ", ".join("/".join(item) for item in builder.every())
        stop(f"No notebook is called {typed!r}. There are {known}.", USAGE)
    return meant


def made(check: bool, force: bool, console: Screen, jobs: list[tuple[str, str]] | None = None) -> int:
    """Build some notebooks (default: all), or compare them if `check` is set; returns the exit status."""
    jobs = jobs or builder.every()
    if not check and not source.is_clone():
        console.print("These notebooks belong to an installed package. To build them, work in a clone of the course.")
        return 1
    stale: list[Path] = []
    kept: list[Path] = []
    if any(kind != "lessons" for kind, _ in jobs):  # of these, kernels alone need it
        begin_to_import_torch()  # in a thread, where no signal comes: torch's C++ dies of one
    try:
        for built in track(
            builder.build_all(jobs),
            description="checking" if check else "building",
            total=len(jobs),
            console=console,
            disable=not console.is_terminal,
            transient=True,
        ):
            if built.stale and not force and builder.holds_answers(built):
                kept.append(built.path)
            elif built.stale:
                stale.append(built.path)
                if not check:
                    write(built)
        languages.demand_translations()
    except (builder.Refused, source.BadSource) as error:
        console.print(str(error), style="red")
        return 1
    except OSError as error:
        console.print(f"{error.filename} cannot be written: {error.strerror or error}.", style="red")
        return FAILED
    except KeyboardInterrupt:
        sentence = "Interrupted. Each notebook is either unchanged or fully rebuilt; run it again for the rest."
        console.print(sentence)
        return INTERRUPTED
    root = source.notebooks_folder()
    for path in stale:
        console.print(f"{'stale' if check else 'wrote'}: {path.relative_to(root)}")
    for path in kept:
        sentence = (
            f"{path.relative_to(root)} holds answers and was not overwritten; minigrad build --force discards them."
        )
        console.print(sentence)
    total = f"{len(jobs)} notebook{'s' if len(jobs) > 1 else ''}"
    if not check:
        console.print(f"{total}, {len(stale)} changed.")
        return 0
    if stale or kept:
        advice = " Run: minigrad build" if stale else ""
        console.print(f"{total}, {len(stale) + len(kept)} stale.{advice}")
        return 1
    console.print(f"{total}, none stale.")
    return 0


def write(built: builder.Built) -> None:
    """Write a notebook atomically. Raises OSError."""
    built.path.parent.mkdir(parents=True, exist_ok=True)
    if not renewal.write_new(built.path, built.content):
        renewal.replace(built.path, built.content)
