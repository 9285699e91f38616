"""The `minigrad` command. Every subcommand ends with a sentence and an exit status, never with a traceback."""

from __future__ import annotations

import dataclasses
import importlib
import importlib.metadata
import importlib.util
import platform
import signal
import sys
from typing import Annotated, Any, NoReturn

import typer
from typer import _completion_shared as completion
from typer.core import TyperCommand, TyperGroup

from minigrad_course.cli.ending import FAILED, INTERRUPTED, RIGHT, USAGE, WRONG, stop
from minigrad_course.cli.usage import Command, Script, Untyped, shown_examples
from minigrad_course.grading.people.given import likely
from minigrad_course.programs import process

SHELLS = ("bash", "zsh", "fish", "powershell", "pwsh")


@dataclasses.dataclass(frozen=True)
class Subcommand:
    """How a command appears in the list of commands, and what its exit statuses mean.

    Its function is in the module of the same name (`_` for `-`), which is imported when the command is called.
    """

    line: str
    statuses: dict[int, str]
    more: str = ""  # added to its help
    settings: dict[str, Any] = dataclasses.field(default_factory=dict)

    @property
    def epilog(self) -> str:
        """The last paragraph of its help."""
        ends = "; ".join(f"{status} {meaning}" for status, meaning in self.statuses.items())
        return f"Exit status: {ends}.{' ' * bool(self.more)}{self.more}"


NO_NAME = "unknown name, or no such folder"
NOT_READ = "a notebook could not be read"
SHOWN = (
    "What you have been shown is remembered per exercise folder in asked.json in your user state folder (on Linux "
    "~/.local/state/minigrad), for notebook and terminal alike. Without it hints start over; nothing else is lost."
)

SUBCOMMANDS = {
    "start": Subcommand(
        "Copy the course into a folder of your own, or update it there.",
        {
            RIGHT: "every notebook is there and up to date",
            WRONG: "you did not say yes, so nothing was written",
            USAGE: "the folder cannot be used",
            FAILED: "a notebook could not be read or written",
            INTERRUPTED: "Ctrl-C",
        },
        "Before a notebook is changed, a copy is saved in the folder `backups` next to it.",
    ),
    "lab": Subcommand(
        "Open the course in JupyterLab.",
        {
            RIGHT: "ended with Ctrl-C",
            WRONG: "you did not say yes, so nothing was written",
            USAGE: "wrong usage",
            FAILED: "JupyterLab could not start",
        },
    ),
    "status": Subcommand(
        "Show what has passed, is wrong or open, and what to do next.",
        {
            RIGHT: "nothing is wrong",
            WRONG: "an answer is wrong",
            USAGE: NO_NAME,
            FAILED: NOT_READ,
            INTERRUPTED: "Ctrl-C",
        },
    ),
    "check": Subcommand(
        "Check parts, or a whole chapter.",
        {
            RIGHT: "everything passes",
            WRONG: "an answer is wrong or not written yet",
            USAGE: NO_NAME,
            FAILED: NOT_READ,
            INTERRUPTED: "Ctrl-C",
        },
    ),
    "hint": Subcommand("Show the next hint for a part.", {RIGHT: "a hint was shown", USAGE: NO_NAME}, SHOWN),
    "diagnose": Subcommand(
        "Ask what is wrong with a program to debug, and choose.",
        {
            RIGHT: "the question was shown, or your choice is right",
            WRONG: "your choice is wrong",
            USAGE: NO_NAME,
            FAILED: "torch is not installed",
        },
        "Until you have chosen, or two of your repairs have failed, a check does not name the fault.",
    ),
    "solution": Subcommand(
        "Show our answer to a part, once yours passes or you ask twice.",
        {
            RIGHT: "the answer was shown",
            WRONG: "not yet: ask again",
            USAGE: NO_NAME,
            FAILED: "torch is not installed",
            INTERRUPTED: "Ctrl-C",
        },
        SHOWN,
    ),
    "reset": Subcommand(
        "Put the original part back.",
        {
            RIGHT: "the original is back",
            WRONG: "you did not say yes, so nothing was changed",
            USAGE: NO_NAME,
            FAILED: "the notebook could not be read or written",
        },
        "The old notebook is saved in the folder `backups` next to it.",
    ),
    "watch": Subcommand(
        "Check an exercise each time you save it.",
        {RIGHT: "ended with Ctrl-C", USAGE: NO_NAME, FAILED: "the folder cannot be watched"},
    ),
    "mine": Subcommand(
        "Write your own engine as a Python package.",
        {
            RIGHT: "the engine was written",
            USAGE: "the folder holds something else, or there are no exercises",
            FAILED: "a file could not be read or written",
            INTERRUPTED: "Ctrl-C",
        },
        "Run it again to update the folder; it refuses if a file there was edited.",
    ),
    "run": Subcommand(
        "Run a torch script on minigrad.",
        {USAGE: "no such script", INTERRUPTED: "Ctrl-C"},
        "Except for these two, you get the exit status of the script.",
        # Everything after FILE belongs to the script, including options.
        {"context_settings": {"allow_interspersed_args": False}, "cls": Script},
    ),
    "explain": Subcommand(
        "Explain what autograd does wrong in a torch script.",
        {USAGE: "no such script", INTERRUPTED: "Ctrl-C"},
        "Except for these two, you get the exit status of the script. It runs on the torch that is installed. Where "
        "nothing goes wrong, nothing is said; --story says which leaves have which gradient, and where a graph ends. "
        "Changes are tried in a copy of the script's folder, and not at all if the script writes files, connects to "
        "others, or runs for more than some seconds; --try tries them all the same.",
        {"context_settings": {"allow_interspersed_args": False}, "cls": Script},
    ),
    "compare": Subcommand(
        "Run a script on torch and on minigrad, and compare the two.",
        {
            RIGHT: "they agree",
            WRONG: "they differ",
            USAGE: "they cannot be compared",
            INTERRUPTED: "Ctrl-C",
        },
    ),
    "grade": Subcommand(
        "Grade submitted exercises.",
        {
            RIGHT: "everything passes",
            WRONG: "something fails",
            USAGE: "wrong usage",
            FAILED: "the grading itself failed",
            INTERRUPTED: "Ctrl-C",
        },
        "SIGTERM ends it, as any other command, just as Ctrl-C does.",
    ),
    "marks": Subcommand(
        "Put grades into the files of Moodle, Canvas and others.",
        {RIGHT: "the files were written", USAGE: "there are no grades, or the file cannot be filled"},
    ),
    "doctor": Subcommand(
        "Look at this computer: is everything there that the course needs?",
        {RIGHT: "the course works here", FAILED: "something is missing", INTERRUPTED: "Ctrl-C"},
        "A line marked ! is worth mending, but the course works without it.",
    ),
    "new-part": Subcommand(
        "Begin a part of your own: its text and its code.",
        {
            RIGHT: "the part is there",
            USAGE: "the name or the chapter cannot be used",
            FAILED: "it could not be written",
        },
        "docs/maintaining/parts.md adds tanh, step by step.",
    ),
    "build": Subcommand(
        "Build the notebooks from their sources.",
        {
            RIGHT: "the notebooks match their sources",
            WRONG: "they do not, or cannot be built",
            USAGE: "wrong usage",
            FAILED: "a notebook could not be written",
            INTERRUPTED: "Ctrl-C",
        },
    ),
}


# Who needs what, in the list of commands.
PANELS = {
    "Learn": {"start", "lab", "status", "check", "hint", "diagnose", "solution", "reset", "watch", "mine", "doctor"},
    "Find out what a program does": {"run", "explain", "compare"},
    "Teach": {"grade", "marks"},
    "Write the course": {"new-part", "build"},
}
ROOMS = {
    "Learn": "learner",
    "Find out what a program does": "programs",
    "Teach": "instructor",
    "Write the course": "author",
}


class Subcommands(Untyped, TyperGroup):
    """Import a subcommand only when it is called: pytest and the notebook libraries take seconds to load."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run the command. A program that calls it gets its process back as it was."""
        with process.lent():
            return super().main(*args, **kwargs)

    def list_commands(self, ctx: Any) -> list[str]:
        """The names, in the order of the help text."""
        return list(SUBCOMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The entry for one command in the list of commands, or None."""
        result = SUBCOMMANDS.get(cmd_name)
        panel = next((title for title, names in PANELS.items() if cmd_name in names), None)
        return TyperCommand(cmd_name, help=result.line, rich_help_panel=panel) if result else None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The subcommand that is called, and the remaining arguments."""
        if args and args[0] not in SUBCOMMANDS and not args[0].startswith("-") and not ctx.resilient_parsing:
            near = likely(args[0], list(SUBCOMMANDS))
            advice = f"Did you mean minigrad {near}?" if near else "minigrad --help lists the commands."
            stop(f"There is no command {args[0][:60]!r}. {advice}", USAGE)
        name, command, rest = super().resolve_command(ctx, args)
        return name, command and imported(name or ""), rest

    def make_context(self, info_name: Any, args: list[str], *some: Any, **more: Any) -> Any:
        """Read the arguments, `help` and `version` among them; none mean `help`. Ctrl-C ends it with a sentence."""
        args = args or ["--help"]
        if args[1:] and args[0] in ("--install-completion", "--show-completion"):
            complete(args[0], args[1])
        if args[:1] in (["help"], ["version"]):
            args = [*args[1:], f"--{args[0]}"]
        try:
            return super().make_context(info_name, args, *some, **more)
        except KeyboardInterrupt:
            stop("Interrupted.", INTERRUPTED)

    def invoke(self, ctx: Any) -> Any:
        """Call the subcommand. If it does not handle Ctrl-C itself, end it with a sentence."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            stop("Interrupted.", INTERRUPTED)


def complete(option: str, shell: str) -> NoReturn:
    """Show or install the completion of a shell that was named: without a name it is that of the current one."""
    if shell not in SHELLS:
        stop(f"{option}: there is none for {shell[:60]!r}, but for {', '.join(SHELLS)}.", USAGE)
    names = {"prog_name": "minigrad", "complete_var": "_MINIGRAD_COMPLETE", "shell": shell}
    if option == "--show-completion":
        typer.echo(completion.get_completion_script(**names))
    else:
        _, path = completion.install(**names)
        typer.echo(f"{shell} completion installed in {path}. It works in the next {shell} that you open.")
    sys.exit()


def imported(name: str) -> Any:
    """The subcommand of that name."""
    result = SUBCOMMANDS[name]
    own = name.replace("-", "_")
    room = next(ROOMS[title] for title, names in PANELS.items() if name in names)
    module = importlib.import_module(f"minigrad_course.cli.{room}.{own}")
    single = typer.Typer(add_completion=False)
    single.command(
        name, epilog=f"Examples:\n{shown_examples(name)}\n\n{result.epilog}", **{"cls": Command} | result.settings
    )(getattr(module, own))
    return typer.main.get_command(single)


class App(typer.Typer):
    """The app. Calling it leaves `sys.excepthook` alone, which Typer's own would keep for its tracebacks in boxes."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run a command."""
        return typer.main.get_command(self)(*args, **kwargs)


app = App(
    name="minigrad",
    cls=Subcommands,
    help="A course on torch's backward(), with an engine you rebuild and a grader.",
    epilog="To begin: minigrad lab. minigrad COMMAND --help shows examples and exit codes.",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)


def version(asked: bool) -> None:
    """Print the versions that a bug report needs, and end the command."""
    if asked:
        torch = importlib.metadata.version("torch") if importlib.util.find_spec("torch") else "not installed"
        ours = importlib.metadata.version("minigrad-course")
        typer.echo(f"minigrad {ours} (torch {torch}, Python {platform.python_version()})")
        raise typer.Exit()


@app.callback()
def options(
    _: Annotated[bool, typer.Option("--version", "-V", callback=version, is_eager=True, help="Show versions.")] = False,
) -> None:
    """Attach the subcommands to something."""


def main() -> None:
    """The entry point of the `minigrad` script, whose process is its own."""
    process.claim()
    process.choose("SIGTERM", signal.default_int_handler)
    app(prog_name="minigrad")
