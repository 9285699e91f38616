"""`minigrad diagnose`: the question above a program to debug, and a choice, for who works without a notebook."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from minigrad_course.checks import hint_log
from minigrad_course.checks.patience import CHOSEN, identity, programs
from minigrad_course.cli.ending import RIGHT, USAGE, WRONG, stop
from minigrad_course.cli.learner.student import SUFFIX, Folder, demand_torch, exercises, found_by, part_called
from minigrad_course.cli.screen import Screen
from minigrad_course.texts.tries import tries_in


def program_names(incomplete: str) -> list[str]:
    """The programs to debug that start with the typed text, for shell completion."""
    return [name for name in programs() if name.startswith(incomplete)]


def diagnose(
    part: Annotated[
        str,
        typer.Argument(metavar="PROGRAM", help="A program to debug, such as zeroing.", autocompletion=program_names),
    ],
    choice: Annotated[
        int | None, typer.Argument(metavar="NUMBER", help="The number of your diagnosis.", show_default=False)
    ] = None,
    folder: Folder = None,
) -> None:
    """Ask what is wrong with a program to debug. With a number, choose a diagnosis. Your notebook is left alone."""
    chapter, _found = part_called(part)
    if part not in programs():
        stop(f"{part} is not a program to debug. The programs are {', '.join(programs())}.", USAGE)
    demand_torch()
    from minigrad_course.predictions.diagnoses import (
        diagnose as question_about,  # here, because pictures take their time to load
    )

    place, screen, where = exercises(folder), Screen(), found_by(folder)
    question = question_about(part)
    choices = list(question.choices.items())
    if choice is None:
        # as it was given: that is what the question is about, whatever has been repaired since
        screen.print(*(f"  {line}" for line in programs()[part].strip().splitlines()), "", sep="\n")
        tried = tries_in(place / f"{chapter.name}{SUFFIX}").get(identity(part), ([], ""))[0]
        before = {number for number, (text, _) in enumerate(choices, start=1) if text in tried}
        before |= {hint_log.times(place, CHOSEN, part)}
        screen.print(f"What it prints: minigrad check {part}{where}", question.question, sep="\n")
        for number, (text, _) in enumerate(choices, start=1):
            screen.print(f"  {number}  {text}{' (you chose this)' if number in before else ''}")
    elif not 1 <= choice <= len(choices):
        stop(f"There is no such choice: choose a number from 1 to {len(choices)}.", USAGE)
    asks, status = screen.is_terminal and sys.stdin.isatty(), RIGHT
    while choice is not None or asks:
        if choice is None:
            choice = typed_number(len(choices))
        if choice is None:
            break
        hint_log.note(place, CHOSEN, part, choice)
        text, say = choices[choice - 1]
        right = choice - 1 == question.right
        screen.print(f"{'✓' if right else '✗'} {text}\n   {say}")
        if right:
            screen.print(f"   Now repair it, and check again: minigrad check {part}{where}")
            raise typer.Exit(RIGHT)
        choice, status = None, WRONG
    another = "another" if status else "one"
    screen.print(f"To choose {another}: minigrad diagnose {part} NUMBER{where}")
    raise typer.Exit(status)


def typed_number(most: int) -> int | None:
    """What is typed on the terminal as a choice, asked for until it is one; None for Enter, Ctrl-C and end of input."""
    try:
        while typed := str(typer.prompt(f"Your choice, 1 to {most}", default="", show_default=False)).strip():
            if typed.isdecimal() and 1 <= int(typed) <= most:
                return int(typed)
    except typer.Abort:
        typer.echo()
    return None
