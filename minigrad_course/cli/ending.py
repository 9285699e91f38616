"""How a command ends: with an exit status that means the same in every command, and a sentence for the user."""

from __future__ import annotations

from typing import NoReturn

import typer

RIGHT = 0
WRONG = 1  # an answer is wrong or not written yet; a comparison found a difference
USAGE = 2  # no such part, no such folder: nothing was done
FAILED = 3  # a file could not be read or written; the judging itself failed
INTERRUPTED = 130  # what shells use for Ctrl-C


def say(sentence: str) -> None:
    """Print a sentence on stderr."""
    from minigrad_course.cli.screen import Screen  # here, because most commands end without

    Screen(stderr=True).print(sentence)


def stop(sentence: str, status: int) -> NoReturn:
    """End the command with a sentence on stderr."""
    say(sentence)
    raise typer.Exit(status)
