"""The `minigrad` command. Every subcommand ends in a sentence and an exit status, never in a traceback."""

from __future__ import annotations

import importlib
from typing import Any

import typer
from typer.core import TyperGroup

# The function of each lies in the module of that name, with the settings it needs.
SUBCOMMANDS: dict[str, dict[str, Any]] = {
    "lab": {},
    "grade": {},
    "build": {},
    # What stands after FILE belongs to the script, options too.
    "run": {"context_settings": {"allow_interspersed_args": False}},
    "compare": {},
}


class Subcommands(TyperGroup):
    """Imports a subcommand when it is asked for: pytest and the notebook libraries would delay a script by seconds."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The names, in the order of the help text."""
        return list(SUBCOMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The subcommand of that name, or None."""
        if cmd_name not in SUBCOMMANDS:
            return None
        module = importlib.import_module(f"minigrad.commands.{cmd_name}")
        single = typer.Typer(add_completion=False)
        single.command(cmd_name, **SUBCOMMANDS[cmd_name])(getattr(module, cmd_name))
        return typer.main.get_command(single)


app = typer.Typer(
    name="minigrad",
    cls=Subcommands,
    help="A course on torch's backward(), with an engine you rebuild and a grader.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


@app.callback()
def options() -> None:
    """Take no option beside --help; typer wants a function to hang the subcommands on."""


def main() -> None:
    """The entry point of the `minigrad` script."""
    app()
