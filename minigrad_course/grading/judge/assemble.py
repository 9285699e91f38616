"""Read a submission and extract the answers, the only part of it that is ever used.

Nothing else in the file counts: no outputs, no checks, no metadata. If the file was tampered with in a way that a
person should know about, a notice says so; if nothing can be read from it at all, `Unreadable` does.
The file is opened for reading only.
"""

from __future__ import annotations

import dataclasses
import functools
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from minigrad_course import parts
from minigrad_course.parts import Chapter
from minigrad_course.texts import source
from minigrad_course.texts.submitted import Unreadable, as_given, code_cells, content_of, found_answers, loaded

if TYPE_CHECKING:
    from nbformat import NotebookNode

OURS = ("minigrad", "nbgrader")  # the metadata of a check
MOST_IDS = 5  # duplicate ids that are listed individually


@dataclasses.dataclass(frozen=True)
class Submission:
    """One student's completed exercise: the source of each answer, by part, and notices for a person to read.

    `suspects`: the parts whose check the judge had to stop by force.
    """

    path: Path
    chapter: Chapter
    answers: dict[str, str]
    notices: tuple[str, ...] = ()
    suspects: set[str] = dataclasses.field(default_factory=set)

    @functools.cached_property
    def as_given(self) -> frozenset[str]:
        """The parts whose answer is what the exercise gives."""
        return as_given(self.chapter.name, self.answers)


def read(path: Path) -> Submission:
    """The answers of a submission. Unreadable if it is not a notebook of this course."""
    return submission_of(path, content_of(path))


def submission_of(path: Path, content: bytes) -> Submission:
    """The answers in a file's content; `path` is only a label and is not opened."""
    notebook = loaded(content)
    cells = code_cells(notebook)
    notices: list[str] = []
    chapter = recognised(notebook, cells, notices)
    pristine = exercise(chapter.name)
    notices += doubled_ids(notebook)
    twice: dict[str, str] = {}
    answers = found_answers(pristine, cells, twice)
    notices += twice.values()
    notices += changed_checks(pristine, cells)
    return Submission(path, chapter, answers, tuple(notices))


@functools.cache
def exercise(name: str) -> NotebookNode:
    """The pristine exercise, cached: do not change it."""
    return source.notebook("exercises", name)


def recognised(notebook: dict[str, Any], cells: list[dict[str, Any]], notices: list[str]) -> Chapter:
    """The chapter whose exercise this is, by the notebook's metadata, else by its parts."""
    ours = notebook.get("metadata", {}).get("minigrad")
    kind, called = (ours.get("kind"), ours.get("name")) if isinstance(ours, dict) else (None, None)
    if isinstance(called, str):
        chapter = parts.chapter_named(called)
        if chapter and kind in ("exercises", "solutions"):
            return chapter
    named = {name for cell in cells for name in source.PART.findall(cell["source"])}
    counts = {chapter.name: sum(part.name in named for part in chapter.parts) for chapter in parts.chapters()}
    likely = max(parts.chapters(), key=lambda chapter: counts[chapter.name])
    if not counts[likely.name]:
        lesson = kind == "lessons"
        raise Unreadable(
            "this is a lesson, not an exercise." if lesson else "this is not one of the course's exercises."
        )
    notices.append(f"it does not say which exercise it is, as some programs remove that; by its parts, {likely.name}.")
    return likely


def doubled_ids(notebook: dict[str, Any]) -> list[str]:
    """A notice for each cell id that occurs twice."""
    counts = Counter(each for cell in notebook["cells"] if isinstance(each := cell.get("id"), str))
    doubled = sorted(item for item, count in counts.items() if count > 1)
    notices = [f"{counts[item]} cells have the id {item[:100]!r}." for item in doubled[:MOST_IDS]]
    more = len(doubled) - len(notices)
    return notices + ([f"{more} more ids belong to several cells."] if more else [])


# --- checks --------------------------------------------------------------------------------------


def changed_checks(pristine: NotebookNode, cells: list[dict[str, Any]]) -> list[str]:
    """A notice for each check that is not ours any more, and one for lost metadata. Ours is run in any case."""
    notices = []
    bare = []
    for wanted in pristine.cells:
        name = wanted.metadata.get("minigrad", {}).get("check")
        if name is None:
            continue
        same = [cell for cell in cells if check_name(cell["source"]) == name]
        ours = [cell for cell in same if cell["source"].split() == wanted.source.split()]
        # the student's own checks next to ours are fine
        same = [cell for cell in same if cell.get("id") == wanted.id] or ours or same
        if not same:
            notices.append(f"the check of {name} is not there; ours was run.")
        elif max(len(same), len(ours)) > 1:
            notices.append(f"there are {max(len(same), len(ours))} checks of {name}; ours was run.")
        elif same[0]["source"].split() != wanted.source.split():
            notices.append(f"the check of {name} is not the one in the exercise; ours was run.")
        elif not same_metadata(same[0].get("metadata"), {key: wanted.metadata[key] for key in OURS}):
            bare.append(name)
    if bare:
        which, were = (f"the check of {bare[0]} has", "was") if len(bare) == 1 else (f"{len(bare)} checks have", "were")
        notices.append(f"{which} other metadata than in the exercise, as some programs remove it; ours {were} run.")
    return notices


def check_name(text: str) -> str | None:
    """The name after `%%check`, None for other cells."""
    match = source.CHECK.match(text)
    return match.group(1) if match else None


def same_metadata(found: Any, wanted: Any) -> bool:
    """True if our fields are unchanged; tools such as nbgrader may have added their own."""
    if not isinstance(wanted, dict):
        return bool(found == wanted)
    return isinstance(found, dict) and all(same_metadata(found.get(key), value) for key, value in wanted.items())
