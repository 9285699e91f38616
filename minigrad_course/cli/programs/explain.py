"""`minigrad explain`: what a program does with autograd. It runs on the installed torch; see minigrad_course."""

from __future__ import annotations

import contextlib
import importlib.util
import os
from typing import Annotated

import typer

from minigrad_course.cli.ending import USAGE, say
from minigrad_course.cli.programs import run as running
from minigrad_course.programs import process

NO_TORCH = "explain runs a program on torch, and torch is not installed here: pip install torch."


def explain(
    file: running.File = None,
    arguments: running.Arguments = None,
    code: running.Code = None,
    module: running.Module = None,
    seed: running.Seed = None,
    anyway: Annotated[
        bool, typer.Option("--try", help="Try changes although the program writes files, or runs for long.")
    ] = False,
    once: Annotated[bool, typer.Option("--no-try", help="Run the program once, and try nothing.")] = False,
    story: Annotated[
        bool, typer.Option("--story", help="Say what the program did, also where nothing is wrong.")
    ] = False,
) -> None:
    """Run a script on torch and, if autograd stops it or something goes wrong in silence, say which lines led to that.

    Each change that is shown was tried. A text copied from a page will do, with its prompts (>>>), its fences or its
    indentation.
    """
    if importlib.util.find_spec("torch") is None:
        say(NO_TORCH)
        raise typer.Exit(USAGE)
    from minigrad_course.explain.command import explain as explained
    from minigrad_course.explain.reading import NoProgram, chosen

    try:
        source = chosen(file, arguments or [], code, module)
    except NoProgram as error:
        say(str(error))
        raise typer.Exit(USAGE) from None
    process.host(source.folder or os.getcwd(), [])
    from minigrad_course.explain.observing.modes import undisturbed

    with contextlib.nullcontext() if process.own else undisturbed():
        status = explained(source, once, anyway, story, seed=seed)
    raise typer.Exit(status)
