"""What was typed wrong, in our words: one plain sentence for every command, where Typer would draw a box."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NoReturn

from typer.core import TyperArgument, TyperCommand

from minigrad.commands.ending import USAGE, stop
from minigrad.grading.given import likely

# Of a wrong value, by the type of pydantic's error; `{}` is the limit.
DEMANDS = {
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_parsing": "a number",
    "greater_than_equal": "at least {}",
    "less_than_equal": "at most {}",
}
CHOICES = re.compile(r" is not one of (.*)\.")


class Untyped:
    """A command whose help leaves out the types of switches and arguments: they say nothing that a name does not."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Arguments and options."""
        found: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for each in found:
            if isinstance(each, TyperArgument) or getattr(each, "is_flag", False):
                vars(each)["display_type_rich"] = lambda ctx: None
        return found

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments; what cannot be read ends the command with a sentence."""
        try:
            read: list[str] = super().parse_args(ctx, args)  # type: ignore[misc]
        except Exception as error:
            if not hasattr(error, "format_message") or type(error).__name__ == "NoArgsIsHelpError":
                raise
            refuse(error, ctx, [name for each in self.get_params(ctx) for name in each.opts if name.startswith("--")])
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
        near = likely(typed, options)
        stop(
            f"There is no option {typed!r}. " + (f"Did you mean {near}?" if near else f"{called} --help lists them."),
            USAGE,
        )
    if typed:
        stop(f"{typed} needs something after it. {more}", USAGE)
    if param is None:
        extra = re.search(r"extra arguments?(?:\(s\))? \((.*)\)", error.format_message())
        stop(f"{called} has no use for {extra[1]!r}. {more}" if extra else error.format_message(), USAGE)
    name = param.opts[-1] if param.opts[-1].startswith("-") else param.metavar or param.name
    if type(error).__name__ == "MissingParameter":
        listed = LISTS.get(name)
        stop(f"{called} needs a {name.removesuffix('...')}. {listed() if listed else more}", USAGE)
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
    limit = next((each for key, each in found.get("ctx", {}).items() if key in ("ge", "le")), "")
    return f"{name} must be {demand.format(limit)}, not {value!r}."


def parts() -> str:
    """The parts there are, by chapter."""
    from minigrad.commands.student import catalogue  # here, because few mistakes need it

    return catalogue()


def programs() -> str:
    """The programs to debug."""
    from minigrad.course.patience import programs

    return f"The programs are {', '.join(programs())}."


LISTS: dict[str, Callable[[], str]] = {"NAME": parts, "PART": parts, "PROGRAM": programs}
