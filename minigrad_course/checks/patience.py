"""How long a check keeps the fault of a program to itself: until a diagnosis was chosen, or two repairs failed.

A choice is kept in the notebook, where `predictions.diagnoses` asks for it, or in the user's own file, if the
terminal asked: a notebook that is open is never written to. Nothing here earns or costs points.
"""

from __future__ import annotations

import dataclasses
import zlib
from pathlib import Path

from minigrad_course import parts
from minigrad_course.checks import hint_log
from minigrad_course.texts import source
from minigrad_course.texts.folders import exercises_folder
from minigrad_course.texts.tries import tries_before, tries_in

CHOSEN = "diagnosis"  # what the terminal asked, in the user's own file: the number of the last choice
REPAIRS = 2  # different ones that fail: then a check names the fault, whatever was chosen


def identity(part: str) -> str:
    """The name under which a choice is kept."""
    return f"diagnosis-{part}"


def programs() -> dict[str, str]:
    """Each program to debug that has a question, as it is given: part -> source."""
    result: dict[str, str] = {}
    for name in source.names("solutions"):
        result |= programs_in(name)
    return result


def programs_in(name: str) -> dict[str, str]:
    """The same for one chapter."""
    text = source.read("solutions", name)
    asked = {cell.part for cell in text.cells if cell.role == "diagnosis"}
    return {part: cell.stub or "" for part, cell in text.answers().items() if part in asked}


def program_of(part: str) -> str | None:
    """The program to debug as it is given; None if the part is no such program."""
    chapter = parts.chapter_of(part)
    return programs_in(chapter.name).get(part) if chapter else None


@dataclasses.dataclass
class Patience:
    """How long a check keeps the fault of a program to itself."""

    failed: dict[str, set[str]] = dataclasses.field(default_factory=dict)  # by part, the repairs that did

    def asks(self, part: str, cell: str) -> bool:
        """True if a check that failed asks for a diagnosis, and names nothing. `cell` is the source of the answer."""
        given = program_of(part)
        if given is None or tries_before(identity(part)) or hint_log.times(exercises_folder(), CHOSEN, part):
            return False
        repairs = self.failed.setdefault(part, set())
        if cell.split() != given.split():
            repairs.add(" ".join(cell.split()))
        return len(repairs) < REPAIRS


def asks_in(path: Path, part: str, cell: str) -> bool:
    """The same for a saved notebook: the choices are in it, and the repairs that failed in the user's own file."""
    given = program_of(part)
    if given is None or tries_in(path).get(identity(part), ([], ""))[0] or hint_log.times(path.parent, CHOSEN, part):
        return False
    # Room for one number: the first repair, and 1 once another has failed.
    first, this = hint_log.times(path.parent, "repair", part), zlib.crc32(" ".join(cell.split()).encode()) + 2
    if cell.split() == given.split() or first == this:
        return first != 1
    if first == 0:
        hint_log.note(path.parent, "repair", part, this)
    elif first != 1:
        hint_log.note(path.parent, "repair", part, 1)
    return first == 0
