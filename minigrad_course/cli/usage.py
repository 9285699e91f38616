"""What to type, and what was typed wrong, in our words: a plain sentence for every command, where Typer draws a box."""

from __future__ import annotations

import contextlib
import io
import re
import textwrap
from collections.abc import Callable
from typing import Any, NoReturn

from rich.markup import escape
from typer.core import TyperArgument, TyperCommand

from minigrad_course.cli.ending import USAGE, stop
from minigrad_course.cli.screen import Screen
from minigrad_course.grading.people.given import likely

# Of a wrong value, by the type of pydantic's error; `{}` is the limit.
DEMANDS = {
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_parsing": "a number",
    "greater_than_equal": "at least {}",
    "less_than_equal": "at most {}",
}
FOLDERS = dict.fromkeys(("--out", "--outdir", "--out-dir", "--output-dir", "--output-folder"), "--to")
BORDER = re.compile(r"^╭─ | ─*╮$|^╰─*╯$|^ ")  # of a box; text outside is indented by one
COLOUR = re.compile(r"\x1b\[[\d;]*m")
CHOICES = re.compile(r" is not one of (.*)\.")


# What to type, and what it does.
EXAMPLES = {
    "start": {"start my-course": "a copy of the course in my-course", "start .": "update the copy you are in"},
    "lab": {"lab": "your copy; made the first time", "lab my-course --no-browser": "only print the address"},
    "status": {"status": "your exercises", "status -f ~/my-course": "those of another folder"},
    "check": {
        "check mul": "one part",
        "check mul pow": "two",
        "check 1": "a whole chapter",
        "check mul --all": "every line it printed",
    },
    "diagnose": {"diagnose zeroing": "the question, and your choice", "diagnose zeroing 2": "choose the second"},
    "hint": {"hint mul": "the first hint; again for the next one"},
    "solution": {"solution mul": "our answer to mul"},
    "reset": {"reset mul": "start mul again"},
    "watch": {"watch": "all exercises", "watch 2": "those of chapter 2", "watch mul pow": "two parts"},
    "mine": {"mine": "write it to my-engine, beside your exercises", "mine ../engine": "write it elsewhere"},
    "run": {"run train.py --epochs 3": "a script and its options", 'run -c "import torch"': "a line of code"},
    "explain": {
        "explain train.py": "an error, told by your lines",
        "explain train.py --epochs 3": "a script and its options",
        "explain --story train.py": "what it did, too",
    },
    "compare": {
        "compare train.py": "where they differ",
        "compare train.py --tolerance": "let last digits vary",
        "compare train.py -- --epochs 3": "a script and its options",
        'compare -c "import torch"': "a line of code",
    },
    "grade": {
        "grade 01_scalar_backward.ipynb": "one file",
        "grade submitted --to grades": "a whole class",
        "grade submitted --course FILE.toml": "with rules, such as those below",
    },
    "marks": {"marks moodle worksheet.csv --exercise 1": "fill in Moodle's worksheet"},
    "doctor": {"doctor": "a line for each thing it looks at"},
    "new-part": {"new-part tanh --chapter 1 --replace": "let students write tanh"},
    "build": {
        "build": "write the notebooks",
        "build exercises/01": "one of them",
        "build --check": "only say which are out of date",
    },
}


# What a file may look like that a command reads.
RULES = """\
attempts = "last"
[late]
per_day = 10
[exercises.01]
deadline = 2026-11-02
weight = 2
[[marks]]
student = "bob"
part = "mul"
points = 1
comment = "One sign is wrong."
"""
FILES = {"grade": f"FILE.toml, per_day in percent:\n{escape(textwrap.indent(RULES, '  '))}"}

# The options of a command that has many, in groups.
GROUPS = {
    "grade": {
        "What is graded": ("--exercise", "--course", "--roster", "--again"),
        "Where results go": ("--to", "--write", "--json"),
        "How it is graded": ("--seed", "--workers", "--dask", "--require-sandbox"),
        "Limits": ("--seconds", "--cell-seconds", "--submission-seconds", "--memory", "--output"),
    }
}


def shown_examples(name: str) -> str:
    """The examples in the help of a command, one a line, then of a file that it reads.

    What a line does stands below it if the lines would be too long.
    """
    typed = {f"minigrad {line}": what for line, what in EXAMPLES.get(name, {}).items()}
    width = max(map(len, typed), default=0)
    if any(len(f"  {line:{width}}  {what}") > Screen().width - 2 for line, what in typed.items()):
        lines = [f"  {line}\n      {what}" for line, what in typed.items()]
    else:
        lines = [f"  {line:{width}}  {what}" for line, what in typed.items()]
    file = f"\n\n{FILES[name].rstrip()}" if name in FILES else ""
    return "\n".join(lines) + file


def unboxed(text: str) -> str:
    """A help text with a title and an indent for each box, and no blanks at the ends of its lines."""
    lines = [BORDER.sub("", COLOUR.sub("", line).replace("│", "  ").rstrip()) for line in text.splitlines()]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")


class Untyped:
    """A command whose help leaves out the types of switches and arguments: they say nothing that a name does not.

    Nor does it show ranges, which would leave no room for words: whoever is outside of one is told. What is optional
    is in brackets, and what is not has none.
    """

    def get_params(self, ctx: Any) -> list[Any]:
        """Arguments and options."""
        found: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        groups = {option: title for title, options in GROUPS.get(ctx.info_name, {}).items() for option in options}
        for item in found:
            if isinstance(item, TyperArgument) or getattr(item, "is_flag", False):
                vars(item)["display_type_rich"] = lambda ctx: None
            vars(item)["_get_number_range_help_str"] = lambda: None
            if group := groups.get(item.opts[0]):
                item.rich_help_panel = group
            if isinstance(item, TyperArgument) and item.required:
                pieces = [f"{item.metavar}{'' if item.nargs == 1 else '...'}"]
                vars(item)["get_usage_pieces"] = lambda ctx, pieces=pieces: pieces
        return found

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help; into a pipe without the boxes that group it on a terminal."""
        if (screen := Screen()).is_terminal:
            from typer import rich_utils  # here, because few commands need it

            rich_utils.MAX_WIDTH = screen.columns
            super().format_help(ctx, formatter)  # type: ignore[misc]
            return
        with contextlib.redirect_stdout(io.StringIO()) as boxed:
            super().format_help(ctx, formatter)  # type: ignore[misc]
        screen.print(unboxed(boxed.getvalue()), end="")

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments; what cannot be read ends the command with a sentence."""
        try:
            read: list[str] = super().parse_args(ctx, args)  # type: ignore[misc]
        except Exception as error:
            if not hasattr(error, "format_message"):
                raise
            refuse(error, ctx, [name for param in self.get_params(ctx) for name in param.opts if name.startswith("--")])
        return read


class Command(Untyped, TyperCommand):
    """A subcommand."""


class Script(Command):
    """A command that runs a script: what stands after `-c CODE` and `-m MODULE` belongs to that, as Python has it."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments, and leave those that are not ours as they are."""
        own = iter(range(len(args)))
        for place in own:
            if args[place] in ("-c", "-m"):
                if args[place + 1 :]:
                    args = [*args[: place + 2], "--", *args[place + 2 :]]
                break
            if not args[place].startswith("-"):
                break
            if args[place] == "--seed":
                next(own, None)
        return super().parse_args(ctx, args)


def refuse(error: Any, ctx: Any, options: list[str]) -> NoReturn:
    """End the command with what was typed wrong, and what to type."""
    called = ctx.command_path
    more = f"{called} --help says more."
    param, typed = getattr(error, "param", None), getattr(error, "option_name", "")
    if typed and hasattr(error, "possibilities"):
        near = FOLDERS.get(typed) if FOLDERS.get(typed) in options else likely(typed, options)
        script = ctx.info_name == "compare" and not near  # its own arguments
        more = f"If it is the script's: {called} FILE.py -- {typed}" if script else f"{called} --help lists them."
        stop(f"There is no option {typed!r}. " + (f"Did you mean {near}?" if near else more), USAGE)
    if typed:
        stop(f"{typed} needs something after it. {more}", USAGE)
    if param is None:
        extra = re.search(r"extra arguments?(?:\(s\))? \((.*)\)", error.format_message())
        stop(f"{called} takes no argument {extra[1]!r}. {more}" if extra else error.format_message(), USAGE)
    option = max(param.opts, key=len)
    name = option if option.startswith("-") else param.metavar or param.name
    if type(error).__name__ == "MissingParameter":
        listed, a = LISTS.get(name), "an" if name[0] in "AEIOU" else "a"
        example = next(iter(EXAMPLES[ctx.info_name]), "")
        as_in = f", as in: minigrad {example}"
        stop(f"{called} needs {a} {name}{'. ' + listed() if listed else as_in}", USAGE)
    wrong: list[Any] = getattr(error.__cause__, "errors", list)()
    stop(f"{wrong_value(name, wrong[0]) if wrong else error.format_message()} {more}", USAGE)


def wrong_value(name: str, found: Any) -> str:
    """The sentence for a value that pydantic refused."""
    value = str(found["input"])[:60]
    if choices := CHOICES.search(found["msg"]):
        known = re.findall(r"'(.*?)'", choices[1])
        near = likely(value, known)
        return f"{value!r} is not one of {', '.join(known)}." + (f" Did you mean {near}?" if near else "")
    demand = DEMANDS.get(found["type"], "something else")
    limit = next((item for key, item in found.get("ctx", {}).items() if key in ("ge", "le")), "")
    return f"{name} must be {demand.format(limit)}, not {value!r}."


def parts() -> str:
    """The parts there are, by chapter."""
    from minigrad_course.cli.learner.student import catalogue  # here, because few mistakes need it

    return catalogue(together=False)


def checks() -> str:
    """The parts and the last checks."""
    from minigrad_course.cli.learner.student import catalogue

    return catalogue()


def programs() -> str:
    """The programs to debug."""
    from minigrad_course.checks.patience import programs

    return f"The programs are {', '.join(programs())}."


LISTS: dict[str, Callable[[], str]] = {"NAME": checks, "PART": parts, "PROGRAM": programs}
