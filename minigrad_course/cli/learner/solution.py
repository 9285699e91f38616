"""`minigrad solution`: show our answer to a part, once the student's passes, after all hints, or asked again."""

from __future__ import annotations

from rich.syntax import Syntax

from minigrad_course.checks import hint_log
from minigrad_course.checks.exercise import judged
from minigrad_course.cli.ending import WRONG, stop
from minigrad_course.cli.learner.student import SUFFIX, Folder, PartName, demand_torch, exercises, followed, part_called
from minigrad_course.cli.screen import Screen
from minigrad_course.parts import Chapter
from minigrad_course.texts import source


def solution(part: PartName, folder: Folder = None) -> None:
    """Show our answer to a part: once yours passes, after the last hint, or when you ask a second time."""
    chapter, _found = part_called(part)
    place, screen = exercises(folder), Screen()
    if not hint_log.times(place, "solution", part):
        demand_torch()
        (outcome,) = followed(judged(chapter, place / f"{chapter.name}{SUFFIX}", [part]), 1, screen)
        if outcome.state != "passed":
            hint_log.note(place, "solution", part, 1)
            stop(
                f"{part} does not pass yet. For a hint: minigrad hint {part}. Ask again to see our answer.",
                WRONG,
            )
    text = answer(chapter, part)
    # A theme of the terminal's own colours, plain names in none: it can be read on white and on black.
    coloured = Syntax(text, "python", theme="ansi_light", background_color="default")
    screen.print(coloured if screen.is_terminal else text)


def answer(chapter: Chapter, part: str) -> str:
    """Our answer, taken from the solution notebook."""
    return source.without_markers(source.read("solutions", chapter.name).answers()[part].source)
