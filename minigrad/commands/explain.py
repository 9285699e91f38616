"""`minigrad explain`: run a script that says `import torch` on minigrad, and explain an error of autograd by its lines.

What runs, what it sees and how it ends is as in `minigrad run`; see there.
"""

from __future__ import annotations

import signal
import sys
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from minigrad.commands import run as running
from minigrad.commands.ending import INTERRUPTED, RIGHT, USAGE, WRONG
from minigrad.course import torch_shim
from minigrad.course.account import account
from minigrad.course.case import Case
from minigrad.course.explain import explanation
from minigrad.course.places import Sources
from minigrad.course.watching import watch

NOT_OURS = "This is not an error of autograd that this command can explain; the traceback above says where it happened."


def explain(
    file: Annotated[
        str | None,
        typer.Argument(metavar="FILE.py", help="The script; - or nothing reads standard input.", show_default=False),
    ] = None,
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="ARGS...", help="The script's own arguments.", show_default=False)
    ] = None,
    code: Annotated[str | None, typer.Option("-c", metavar="CODE", help="Run this text instead of a file.")] = None,
    module: Annotated[str | None, typer.Option("-m", metavar="MODULE", help="Run this module instead.")] = None,
    seed: Annotated[int | None, typer.Option(metavar="N", help="First seed torch, numpy and random.")] = None,
) -> None:
    """Run a script on minigrad and, if autograd stops it, say which lines of the script led to that."""
    try:
        chosen = running.choice(file, code, module, arguments or [])
    except running.NotAScript as error:
        typer.echo(error.said or str(error), err=True)
        raise typer.Exit(WRONG if error.said else USAGE) from None
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None
    torch_shim.install()
    if seed is not None:
        running.begin_with(seed)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # as for any script
    names: dict[str, Any] = {}
    with watch() as seen:
        ended = running.execute(chosen, False, names)
    name = chosen.path or "<string>"
    case = Case(ended.error, seen, Sources({name: chosen.text}), names)
    sys.stdout.flush()
    try:
        found = explanation(case)
    except Exception:  # whatever a program has done to its tensors: its own error is on the screen already
        found = None
    if found is not None:
        show([("", ""), *found.lines(case.sources, name)])
    elif ended.error is None:
        show([(line, "") for line in account(case, names).splitlines()] if ended.status == RIGHT else [])
    else:
        show([("", ""), (NOT_OURS, "")])
    raise typer.Exit(ended.status)


def show(lines: list[tuple[str, str]]) -> None:
    """Print lines, in colour on a terminal that wants it."""
    console = Console(highlight=False, markup=False, emoji=False)
    for line, style in lines:
        console.print(Text(line, style), soft_wrap=True)
