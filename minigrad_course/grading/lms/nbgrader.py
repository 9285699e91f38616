"""nbgrader: `submitted/STUDENT/EXERCISE/`, with a file that says when."""

from __future__ import annotations

from collections.abc import Set
from datetime import datetime
from pathlib import Path

from minigrad_course.grading.lms.entry import Entry
from minigrad_course.grading.lms.protocol import System
from minigrad_course.grading.people.names import When
from minigrad_course.grading.people.times import from_iso, zone_named
from minigrad_course.texts.submitted import Unreadable

SUBMITTED = "submitted"
FOLDERS = {SUBMITTED, "source", "release", "autograded", "feedback"}
# what nbgrader and its instructor have beside that folder; no student writes there
BESIDE = {"nbgrader_config.py", "gradebook.db", "release", "autograded"}


class Nbgrader(System):
    """nbgrader.

    From its documentation, «The philosophy and the approach of nbgrader», and `nbgrader/exchange/default/submit.py`:
    handing in writes `timestamp.txt` into STUDENT/EXERCISE over whatever the student has there.
    """

    name = "nbgrader"

    def work_among(self, names: Set[str]) -> str:
        """`submitted`, beside nothing but folders of nbgrader's."""
        return SUBMITTED if {SUBMITTED} <= names <= FOLDERS else ""

    def when(self, entry: Entry, owner: Entry, leaf: Entry) -> When | None:
        """The time in `timestamp.txt`, where nbgrader wrote it: in STUDENT/EXERCISE of a tree that is nbgrader's."""
        if entry is not owner or owner.kind != "folder" or owner.said.system:
            return None
        folder = next((item for item in (leaf, *leaf.around) if item.parent is owner), None)
        if not folder or folder.kind != "folder" or not folder.timestamp or not is_nbgraders(owner):
            return None
        at = stamp(folder)
        return When(at, source="nbgrader's timestamp.txt") if at else None


def is_nbgraders(student: Entry) -> bool:
    """True if the folder around a student's is nbgrader's: by what is beside it, or by what most students in it have.

    nbgrader writes a time into everything that is handed in. One that a student brought along is alone.
    """
    top = student.parent
    if top is None:
        path = student.path
        return bool(path and path.parent.name == SUBMITTED and beside(path.parent.parent))
    if "nbgrader" not in top.looked_into:
        folders = [top, *top.around]  # what is beside a folder in a zip may have been packed with it
        root = folders[-1].path if all(folder.kind == "folder" for folder in folders) else None
        names = beside(root.joinpath(*top.steps).parent) if root else set()
        students = [folder.folders for folder in top.folders if folder.kind == "folder" and folder.folders]
        stamped = [
            student for student in students if any(stamp(folder) for folder in student if folder.kind == "folder")
        ]
        whole = len(students) > 1 and 2 * len(stamped) > len(students)
        top.looked_into["nbgrader"] = whole or (top.text == SUBMITTED and bool(BESIDE & names))
    result: bool = top.looked_into["nbgrader"]
    return result


def beside(folder: Path) -> set[str]:
    """What of nbgrader's is in a folder on the disk."""
    return {name for name in BESIDE if (folder / name).exists()}


def stamp(folder: Entry) -> datetime | None:
    """The time in a folder's `timestamp.txt`, such as `2026-11-02 15:58:23.948203 UTC`; None if it has none."""
    try:
        folder.children  # noqa: B018 - reading them finds the file
        return from_nbgrader(folder.timestamp()) if folder.timestamp else None
    except Unreadable:
        return None


def from_nbgrader(content: bytes) -> datetime | None:
    """The time in the content of nbgrader's file."""
    words = content[:200].decode("utf-8", "replace").split()
    result = from_iso(" ".join(words[:2])) if len(words) == 3 else None
    try:
        return result.replace(tzinfo=zone_named(words[2])) if result else None
    except (ValueError, LookupError):
        return None
