"""`minigrad build`: build the notebooks from their sources, or check that they are up to date."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import track

from minigrad.commands.ending import FAILED, INTERRUPTED
from minigrad.course import builder, renewal, source


def build(
    check: Annotated[bool, typer.Option("--check", help="Write nothing; fail if a notebook is stale.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite even exercises that hold answers.")] = False,
) -> None:
    """Build the notebooks from their sources. An exercise that holds answers is not overwritten."""
    raise typer.Exit(made(check, force, Console()))


def made(check: bool, force: bool, console: Console) -> int:
    """Build all notebooks, or compare them if `check` is set; returns the exit status."""
    if not check and not source.is_clone():
        console.print("These notebooks belong to an installed package. To build them, work in a clone of the course.")
        return 1
    stale: list[Path] = []
    kept: list[Path] = []
    try:
        for built in track(
            builder.build_all(),
            description="checking" if check else "building",
            total=builder.how_many(),
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
    except (builder.Refused, source.BadSource) as error:
        console.print(str(error), style="red", markup=False, highlight=False)
        return 1
    except OSError as error:
        console.print(f"{error.filename} cannot be written: {error.strerror or error}.", style="red", soft_wrap=True)
        return FAILED
    except KeyboardInterrupt:
        sentence = "Interrupted. Each notebook is either unchanged or fully rebuilt; run it again for the rest."
        console.print(sentence, soft_wrap=True)
        return INTERRUPTED
    root = source.notebooks_folder()
    for path in stale:
        console.print(f"{'stale' if check else 'wrote'}: {path.relative_to(root)}", markup=False, highlight=False)
    for path in kept:
        sentence = (
            f"{path.relative_to(root)} holds answers and was not overwritten; minigrad build --force discards them."
        )
        console.print(sentence, markup=False, highlight=False, soft_wrap=True)
    total = builder.how_many()
    if not check:
        console.print(f"{total} notebooks, {len(stale)} changed.")
        return 0
    if stale or kept:
        advice = " Run: minigrad build" if stale else ""
        console.print(f"{len(stale) + len(kept)} of {total} notebooks do not match their sources.{advice}")
        return 1
    console.print(f"All {total} notebooks match their sources.")
    return 0


def write(built: builder.Built) -> None:
    """Write a notebook atomically. Raises OSError."""
    built.path.parent.mkdir(parents=True, exist_ok=True)
    if not renewal.write_new(built.path, built.content):
        renewal.replace(built.path, built.content)
