"""`minigrad hint`: show the next hint for a part."""

from __future__ import annotations

from rich.text import Text

from minigrad.commands.student import Folder, PartName, console, exercises, part_called
from minigrad.course import hint_log
from minigrad.course.hints import next_hint


def hint(part: PartName, folder: Folder = None) -> None:
    """Show the next hint for a part; %hint in a notebook continues from there."""
    _chapter, found = part_called(part)
    place = exercises(folder)
    answer = f"Our answer: minigrad solution {part}."
    text, shown = next_hint(found, hint_log.times(place, "hint", part), answer)
    words = Text(text)
    words.highlight_regex(r"(?m)^Hint \d+ of \d+:", "bold blue")
    console().print(words, soft_wrap=True)
    hint_log.note(place, "hint", part, shown)
