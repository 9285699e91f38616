"""Read a submission and take out the answers: the only thing of it that is ever used.

Nothing else of the file counts: no outputs, no checks, no metadata. Where the file was tampered with in a way that a
person should know of, a notice says so; where nothing can be read out of it at all, `Unreadable` does.
The file is opened for reading only.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import os
import stat
from collections import Counter
from pathlib import Path
from typing import Any

from minigrad.course import parts, source
from minigrad.course.parts import Chapter

LARGEST = 20_000_000  # bytes
MOST_PIECES = 1_000_000  # lists and objects: what 20 MB of empty ones become would fill the memory
OURS = ("minigrad", "nbgrader")  # the metadata that a check carries
NO_LINK = getattr(os, "O_NOFOLLOW", 0)  # Windows lacks it
MOST_IDS = 5  # how many doubled ids are named one by one


class Unreadable(Exception):
    """The file cannot be graded; the message is one line that says why and what to do."""


@dataclasses.dataclass(frozen=True)
class Submission:
    """One student's completed exercise: the source of each answer, by part, and what a person should know."""

    path: Path
    chapter: Chapter
    answers: dict[str, str]
    notices: tuple[str, ...] = ()


def read(path: Path) -> Submission:
    """The answers of a submission. Unreadable if it is not a notebook of this course."""
    return submission_of(path, content_of(path))


def submission_of(path: Path, content: bytes) -> Submission:
    """The answers in the content of a file; `path` says whose it is, and is not opened."""
    notebook = loaded(content)
    cells = code_cells(notebook)
    notices: list[str] = []
    chapter = recognised(notebook, cells, notices)
    pristine = exercise(chapter.name)
    notices += doubled_ids(notebook)
    answers = found_answers(pristine, cells, notices)
    notices += changed_checks(pristine, cells)
    return Submission(path, chapter, answers, tuple(notices))


# --- the file ------------------------------------------------------------------------------------


@functools.cache
def exercise(name: str) -> Any:
    """The pristine exercise, made once: nobody may change it."""
    return source.notebook("exercises", name)


def loaded(content: bytes) -> dict[str, Any]:
    """The notebook as plain JSON data, in nbformat 4."""
    demand_bounded(content)
    try:
        notebook = json.loads(content.decode("utf-8-sig"))  # some editors put a mark in front
    except (UnicodeDecodeError, ValueError, RecursionError):
        raise Unreadable("this is not a notebook: it does not hold JSON.") from None
    if not isinstance(notebook, dict) or "nbformat" not in notebook:
        raise Unreadable("this is not a notebook.")
    version = notebook["nbformat"]
    if version != 4:
        which = f"nbformat {version}" if isinstance(version, int) and abs(version) < 1000 else "no known nbformat"
        raise Unreadable(
            f"the notebook is in an old or unknown format ({which}); open it in JupyterLab and save it, which makes it "
            "nbformat 4."
        )
    if not isinstance(notebook.get("cells"), list) or not isinstance(notebook.get("metadata", {}), dict):
        raise Unreadable("the notebook is damaged: it has no list of cells.")
    return notebook


def content_of(path: Path) -> bytes:
    """The bytes of a plain file, of at most LARGEST. Unreadable for anything else.

    A link is not followed: one that a student handed in could lead to our solution, or to somebody else's answers.
    """
    try:
        mode = path.lstat().st_mode
    except (FileNotFoundError, ValueError):  # the latter for a NUL in its name
        raise Unreadable("there is no such file.") from None
    except OSError as error:
        raise Unreadable(f"the file cannot be read: {error.strerror or error}.") from None
    if stat.S_ISLNK(mode):
        raise Unreadable("this is a link to another file; hand in the file itself.")
    if not stat.S_ISREG(mode):
        raise Unreadable("this is not a file; name a notebook in it.")
    try:
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | NO_LINK)) as file:
            content = file.read(LARGEST + 1)  # whatever size the system says it has
    except OSError as error:
        raise Unreadable(f"the file cannot be read: {error.strerror or error}.") from None
    demand_bounded(content)
    return content


def demand_bounded(content: bytes) -> None:
    """Unreadable if reading the content as a notebook would take too much time or memory."""
    if len(content) > LARGEST:
        raise Unreadable(f"the file is larger than {LARGEST // 1_000_000} MB; clear its outputs and save it again.")
    if content.count(b"[") + content.count(b"{") > MOST_PIECES:
        raise Unreadable("the file holds more lists than any notebook; clear its outputs and save it again.")


def code_cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    """The code cells with their source as one text."""
    found = []
    for count, cell in enumerate(notebook["cells"], start=1):
        text = cell.get("source") if isinstance(cell, dict) else None
        if isinstance(text, list) and all(isinstance(line, str) for line in text):
            text = "".join(text)
        if not isinstance(text, str):
            raise Unreadable(f"the notebook is damaged: cell {count} has no source.")
        if cell.get("cell_type") == "code":
            found.append(dict(cell, source=text))
    return found


def recognised(notebook: dict[str, Any], cells: list[dict[str, Any]], notices: list[str]) -> Chapter:
    """The chapter whose exercise this is, by the notebook's metadata, else by its parts."""
    ours = notebook.get("metadata", {}).get("minigrad")
    if isinstance(ours, dict) and isinstance(ours.get("name"), str):
        chapter = parts.chapter_named(ours["name"])
        if chapter and ours.get("kind") in ("exercises", "solutions"):
            return chapter
    counts = dict.fromkeys(parts.chapters(), 0)
    for cell in cells:
        for name in source.PART.findall(cell["source"]):
            for chapter in counts:
                counts[chapter] += any(part.name == name for part in chapter.parts)
    likely = max(counts, key=lambda each: counts[each])
    if not counts[likely]:
        raise Unreadable("this is not one of the course's exercises.")
    notices.append(f"the notebook's metadata were changed; by its parts it is {likely.name}.")
    return likely


def doubled_ids(notebook: dict[str, Any]) -> list[str]:
    """A notice for each cell id that occurs twice."""
    counts = Counter(each for cell in notebook["cells"] if isinstance(each := cell.get("id"), str))
    doubled = sorted(each for each, count in counts.items() if count > 1)
    notices = [f"{counts[each]} cells have the id {each[:100]!r}." for each in doubled[:MOST_IDS]]
    more = len(doubled) - len(notices)
    return notices + ([f"{more} more ids belong to several cells."] if more else [])


# --- answers -------------------------------------------------------------------------------------


def found_answers(pristine: Any, cells: list[dict[str, Any]], notices: list[str]) -> dict[str, str]:
    """For each part the source of the cell that answers it: matched by id, else by the name of its @part."""
    answers: dict[str, str] = {}
    for wanted in pristine.cells:
        name = wanted.metadata.get("minigrad", {}).get("part")
        if name is None:
            continue
        by_name = [cell for cell in cells if name in source.PART.findall(cell["source"])]
        by_id = [cell for cell in cells if cell.get("id") == wanted.id]
        written = [cell for cell in by_name if cell["source"].split() != wanted.source.split()]
        candidates = written or by_name
        own = [cell for cell in candidates if cell.get("id") == wanted.id]
        chosen = own or candidates or by_id
        if len(by_name) > 1:
            which = "the one in its own place" if len(own) == 1 else "the last that was written in"
            notices.append(f"{len(by_name)} cells answer {name}; {which} is judged.")
        if chosen:
            answers[name] = chosen[-1]["source"]
    return answers


# --- checks --------------------------------------------------------------------------------------


def changed_checks(pristine: Any, cells: list[dict[str, Any]]) -> list[str]:
    """A notice for each check that is not as we gave it. The original is used in any case."""
    notices = []
    for wanted in pristine.cells:
        name = wanted.metadata.get("minigrad", {}).get("check")
        if name is None:
            continue
        same = [cell for cell in cells if check_name(cell["source"]) == name]
        ours = [cell for cell in same if cell["source"].split() == wanted.source.split()]
        # a check of the student's own beside ours is nobody's business
        same = [cell for cell in same if cell.get("id") == wanted.id] or ours or same
        if not same:
            notices.append(f"the check of {name} is gone; the original was used.")
        elif max(len(same), len(ours)) > 1:
            notices.append(f"there are {max(len(same), len(ours))} checks of {name}; the original was used.")
        elif same[0]["source"].split() != wanted.source.split():
            notices.append(f"the check of {name} was edited; the original was used.")
        elif not same_metadata(same[0].get("metadata"), {key: wanted.metadata[key] for key in OURS}):
            notices.append(f"the metadata of the check of {name} were edited; the original ones were used.")
    return notices


def check_name(text: str) -> str | None:
    """The name after `%%check`, None for other cells."""
    found = source.CHECK.match(text)
    return found.group(1) if found else None


def same_metadata(found: Any, wanted: Any) -> bool:
    """True if the fields that are ours are as we gave them; a tool, as nbgrader does, may have added its own."""
    if not isinstance(wanted, dict):
        return bool(found == wanted)
    return isinstance(found, dict) and all(same_metadata(found.get(key), value) for key, value in wanted.items())
