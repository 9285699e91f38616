"""`minigrad hint`: the next hint for a part, and no more."""

from __future__ import annotations

from minigrad.commands import asked
from minigrad.commands.student import Folder, PartName, console, exercises, part_called
from minigrad.course.hints import next_hint


def hint(part: PartName, folder: Folder = None) -> None:
    """Show the next hint for a part."""
    _chapter, found = part_called(part)
    place = exercises(folder)
    answer = f"Our answer: minigrad solution {part}."
    text, shown = next_hint(found, asked.times(place, "hint", part), answer)
    console().print(text, soft_wrap=True)
    asked.note(place, "hint", part, shown)
