"""The `minigrad` command. Every subcommand ends in a sentence and an exit status, never in a traceback."""

from __future__ import annotations

import dataclasses
import importlib
import signal
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from minigrad.commands.ending import FAILED, INTERRUPTED, RIGHT, USAGE, WRONG, stop


@dataclasses.dataclass(frozen=True)
class Subcommand:
    """What the list of commands says of one, and what its exit statuses mean.

    Its function lies in the module of its name, which is imported when the command is called.
    """

    line: str
    statuses: dict[int, str]
    more: str = ""  # what its help says besides
    settings: dict[str, Any] = dataclasses.field(default_factory=dict)

    @property
    def epilog(self) -> str:
        """The last paragraph of its help."""
        ends = "; ".join(f"{status} {meaning}" for status, meaning in self.statuses.items())
        return f"{self.more}{' ' if self.more else ''}Exit status: {ends}."


NO_NAME = "nothing has that name, or there is no such folder"
NOT_READ = "a notebook could not be read"
SHOWN = (
    "What was shown, for each folder of exercises, is kept in asked.json in your user's state folder (on Linux "
    "~/.local/state/minigrad). Notebook and terminal share it; without it hints begin again, and nothing else is lost."
)

SUBCOMMANDS = {
    "start": Subcommand(
        "Copy the course into a folder of your own, or renew it there.",
        {
            RIGHT: "every notebook is there and up to date",
            USAGE: "that folder cannot be used",
            FAILED: "a notebook could not be read or written",
            INTERRUPTED: "Ctrl-C",
        },
        "Before a notebook changes, a copy goes into a folder `backups` beside it.",
    ),
    "lab": Subcommand(
        "Open the course in JupyterLab.",
        {RIGHT: "ended with Ctrl-C", USAGE: "wrong usage", FAILED: "JupyterLab could not start"},
    ),
    "status": Subcommand(
        "What is done, open and wrong, and what comes next.",
        {
            RIGHT: "nothing is wrong",
            WRONG: "an answer is wrong",
            USAGE: NO_NAME,
            FAILED: NOT_READ,
            INTERRUPTED: "Ctrl-C",
        },
    ),
    "check": Subcommand(
        "Judge a part, or a chapter.",
        {
            RIGHT: "it passes",
            WRONG: "an answer is wrong or still to be written",
            USAGE: NO_NAME,
            FAILED: NOT_READ,
            INTERRUPTED: "Ctrl-C",
        },
    ),
    "hint": Subcommand("The next hint for a part.", {RIGHT: "a hint was shown", USAGE: NO_NAME}, SHOWN),
    "solution": Subcommand(
        "Our answer to a part, once yours passes or you ask twice.",
        {
            RIGHT: "it was shown",
            WRONG: "not yet: ask again",
            USAGE: NO_NAME,
            FAILED: "torch is not installed",
            INTERRUPTED: "Ctrl-C",
        },
        SHOWN,
    ),
    "reset": Subcommand(
        "Put a part back as it was given.",
        {
            RIGHT: "it is as it was given",
            WRONG: "you did not say yes, and nothing was changed",
            USAGE: NO_NAME,
            FAILED: "the notebook could not be read or written",
        },
        "The notebook as it was goes into a folder `backups` beside it.",
    ),
    "watch": Subcommand(
        "Judge an exercise each time you save it.",
        {RIGHT: "ended with Ctrl-C", USAGE: NO_NAME, FAILED: "the folder cannot be watched"},
    ),
    "run": Subcommand(
        "Run a torch script on minigrad.",
        {USAGE: "there is no such script", INTERRUPTED: "Ctrl-C"},
        "Otherwise the exit status is the script's own.",
        # What stands after FILE belongs to the script, options too.
        {"context_settings": {"allow_interspersed_args": False}},
    ),
    "compare": Subcommand(
        "Run a script on torch and on minigrad, and compare.",
        {
            RIGHT: "they agree",
            WRONG: "they differ",
            USAGE: "they cannot be compared",
            INTERRUPTED: "Ctrl-C",
        },
    ),
    "grade": Subcommand(
        "Judge exercises that were handed in.",
        {
            RIGHT: "everything passes",
            WRONG: "something does not",
            USAGE: "wrong usage",
            FAILED: "the grading itself failed",
            INTERRUPTED: "Ctrl-C",
        },
    ),
    "build": Subcommand(
        "Make the notebooks from their texts.",
        {
            RIGHT: "they are what their texts give",
            WRONG: "they are not, or cannot be made",
            USAGE: "wrong usage",
            FAILED: "a notebook could not be written",
            INTERRUPTED: "Ctrl-C",
        },
    ),
}


class Subcommands(TyperGroup):
    """Imports a subcommand when it is called: pytest and the notebook libraries would delay all others by seconds."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The names, in the order of the help text."""
        return list(SUBCOMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """What a list of commands shows of the one of that name, or None."""
        found = SUBCOMMANDS.get(cmd_name)
        return TyperCommand(cmd_name, help=found.line) if found else None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The subcommand that is called, and what is left of the arguments."""
        name, command, rest = super().resolve_command(ctx, args)
        return name, command and imported(name or ""), rest

    def make_context(self, *some: Any, **more: Any) -> Any:
        """Read the arguments. A Ctrl-C that comes meanwhile ends in a sentence, too."""
        try:
            return super().make_context(*some, **more)
        except KeyboardInterrupt:
            stop("Interrupted.", INTERRUPTED)

    def invoke(self, ctx: Any) -> Any:
        """Call the subcommand. One that has nothing of its own to say about Ctrl-C ends in a sentence."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            stop("Interrupted.", INTERRUPTED)


def imported(name: str) -> Any:
    """The subcommand of that name."""
    found = SUBCOMMANDS[name]
    module = importlib.import_module(f"minigrad.commands.{name}")
    single = typer.Typer(add_completion=False)
    single.command(name, epilog=found.epilog, **found.settings)(getattr(module, name))
    return typer.main.get_command(single)


app = typer.Typer(
    name="minigrad",
    cls=Subcommands,
    help="A course on torch's backward(), with an engine you rebuild and a grader.",
    epilog="minigrad COMMAND --help says more, the exit statuses too. SIGTERM ends a command as Ctrl-C does.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


@app.callback()
def options() -> None:
    """Take no option beside --help; typer wants a function to hang the subcommands on."""


def main() -> None:
    """The entry point of the `minigrad` script."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    app(prog_name="minigrad")
