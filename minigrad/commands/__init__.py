"""The `minigrad` command. Every subcommand ends in a sentence and an exit status, never in a traceback."""

from __future__ import annotations

import typer

from minigrad.commands.build import build
from minigrad.commands.grade import grade
from minigrad.commands.lab import lab

app = typer.Typer(
    name="minigrad",
    help="A course on torch's backward(), with an engine you rebuild and a grader.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
for command in (lab, grade, build):
    app.command()(command)


def main() -> None:
    """The entry point of the `minigrad` script."""
    app()
