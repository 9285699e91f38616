"""Read a student's work from a notebook file: the code cells, and among them the answers.

The file may be anything: if it cannot be read, `Unreadable` says why. It is opened for reading only.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from minigrad_course.texts import source
from minigrad_course.texts.words import language_of

if TYPE_CHECKING:
    from nbformat import NotebookNode

LARGEST = 20_000_000  # bytes
MOST_PIECES = 1_000_000  # lists and objects: 20 MB of empty ones would fill the memory
NO_LINK = getattr(os, "O_NOFOLLOW", 0)  # Windows lacks it


class Unreadable(Exception):
    """The file cannot be used; the message is one line that says why and what to do."""


# --- the file ------------------------------------------------------------------------------------


def content_of(path: Path) -> bytes:
    """The bytes of a plain file of at most LARGEST. Unreadable for anything else.

    Links are not followed: a submitted link could lead to our solution, or to somebody else's answers.
    """
    try:
        mode = path.lstat().st_mode
    except (FileNotFoundError, ValueError):  # the latter for a NUL in its name
        raise Unreadable("there is no such file.") from None
    except OSError as error:
        raise Unreadable(f"the file cannot be read: {error.strerror or error}.") from None
    if stat.S_ISLNK(mode):
        raise Unreadable("this is a link to another file; submit the file itself.")
    if not stat.S_ISREG(mode):
        raise Unreadable("this is not a file; name a notebook in it.")
    try:
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | NO_LINK)) as file:
            content = file.read(LARGEST + 1)  # whatever size the system reports
    except OSError as error:
        raise Unreadable(f"the file cannot be read: {error.strerror or error}.") from None
    demand_bounded(content)
    return content


def language_in(path: Path) -> str:
    """The language of a saved notebook; "" for English, and for a file that cannot be read."""
    try:
        return language_of(loaded(content_of(path)))
    except Unreadable:
        return ""


def demand_bounded(content: bytes) -> None:
    """Unreadable if reading the content as a notebook would take too much time or memory."""
    if len(content) > LARGEST:
        raise Unreadable(f"the file is larger than {LARGEST // 1_000_000} MB; clear its outputs and save it again.")
    if content.count(b"[") + content.count(b"{") > MOST_PIECES:
        raise Unreadable("the file holds more lists than any notebook; clear its outputs and save it again.")


NO_JSON = "this is not a notebook that can be opened. It was probably cut off on its way, or saved in another format."


def loaded(content: bytes) -> dict[str, Any]:
    """The notebook as plain JSON data, in nbformat 4."""
    demand_bounded(content)
    try:
        notebook = json.loads(content.decode("utf-8-sig"))  # some editors put a byte order mark in front
    except (UnicodeDecodeError, ValueError, RecursionError):
        raise Unreadable(NO_JSON) from None
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


def code_cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    """The code cells; afterwards every cell's source is a single string."""
    results = []
    for count, cell in enumerate(notebook["cells"], start=1):
        text = cell.get("source") if isinstance(cell, dict) else None
        if isinstance(text, list) and all(isinstance(line, str) for line in text):
            text = "".join(text)
        if not isinstance(text, str):
            raise Unreadable(f"the notebook is damaged: cell {count} has no source.")
        cell["source"] = text
        if cell.get("cell_type") == "code":
            results.append(cell)
    return results


# --- answers -------------------------------------------------------------------------------------


def found_answers(pristine: NotebookNode, cells: list[dict[str, Any]], twice: dict[str, str]) -> dict[str, str]:
    """The source of the cell that answers each part."""
    return {part: cell["source"] for part, cell in answer_cells(pristine, cells, twice).items()}


def answers_in(path: Path, pristine: NotebookNode) -> dict[str, str]:
    """The same for a file. Unreadable if it is no notebook."""
    return found_answers(pristine, code_cells(loaded(content_of(path))), {})


def answer_cells(
    pristine: NotebookNode, cells: list[dict[str, Any]], twice: dict[str, str]
) -> dict[str, dict[str, Any]]:
    """The cell that answers each part, matched by id, else by the name in its @part.

    `twice` gets a sentence for each part that several cells answer.
    """
    answers: dict[str, dict[str, Any]] = {}
    for wanted in pristine.cells:
        names = source.names_in(wanted.metadata.get("minigrad", {}).get("part"))
        if not names:
            continue
        name = "your engine" if source.is_module(wanted.source) else names[0]
        by_name = [cell for cell in cells if answers_it(cell["source"], wanted.source, name)]
        by_id = [cell for cell in cells if cell.get("id") == wanted.id]
        written = [cell for cell in by_name if cell["source"].split() != wanted.source.split()]
        candidates = written or by_name
        own = [cell for cell in candidates if cell.get("id") == wanted.id]
        chosen = own or candidates or by_id
        if len(by_name) > 1:
            which = "the one in its own place" if len(own) == 1 else "the last one that was edited"
            twice |= dict.fromkeys(names, f"{len(by_name)} cells answer {name}; {which} is judged.")
        if chosen:
            answers |= dict.fromkeys(names, chosen[-1])
    return answers


def answers_it(text: str, wanted: str, name: str) -> bool:
    """Whether a cell says that it answers a part: by its name, or as the module that an engine of one's own is."""
    return source.is_module(text) if source.is_module(wanted) else name in source.PART.findall(text)


def as_given(exercise: str, answers: Mapping[str, str]) -> frozenset[str]:
    """The parts whose cell is what the exercise gives: white space at the end of lines and empty lines do not count."""
    given = source.read("solutions", exercise).answers()
    return frozenset(
        part for part, text in answers.items() if part in given and lines(text) == lines(given[part].given)
    )


def lines(text: str) -> list[str]:
    """The lines of a cell, without what nobody sees."""
    return [line.rstrip() for line in text.splitlines() if line.strip()]
