"""`minigrad hint`: show the next hint for a part."""

from __future__ import annotations

from rich.text import Text

from minigrad.commands.student import SUFFIX, Folder, PartName, console, exercises, part_called
from minigrad.course import hint_log
from minigrad.course.hints import next_hint
from minigrad.course.submitted import language_in


def hint(part: PartName, folder: Folder = None) -> None:
    """Show the next hint for a part; %hint in a notebook continues from there."""
    chapter, found = part_called(part)
    place = exercises(folder)
    answer = f"minigrad solution {part}"
    language = language_in(place / f"{chapter.name}{SUFFIX}")
    text, shown = next_hint(found, hint_log.times(place, "hint", part), answer, language)
    words = Text(text)
    words.highlight_regex(r"(?m)^\w+ \d+ \w+ \d+:", "bold blue")
    console().print(words, soft_wrap=True)
    hint_log.note(place, "hint", part, shown)
