"""The contents of folders and zips as a tree: files and folders with their names, and what these say about people.

A zip counts as a folder. Nothing is read until it is needed.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any

from minigrad_course.grading import lms as systems
from minigrad_course.grading.people.names import Said, impersonal, listed, unmistakable
from minigrad_course.parts import chapter_named
from minigrad_course.texts.folders import FIRST_PAGE

HOME = "exercises"  # where the notebooks of a student's clone are
# folders of a clone with nothing to grade in them, and why
ASIDE = {
    "lessons": "lessons hold no answers",
    "solutions": "solutions are not the student's own work",
    "backups": "these are earlier copies",
}
# files next to students' work that belong to nobody
FURNITURE = "conftest readme license makefile setup requirements environment grades gradebook index"
NOT_WORK = ".md .yml .yaml .toml .cfg .ini .csv .log .db .sqlite .xml .lock .rst .bat .sh"
MOST_ZIPS = 20  # of one student


@dataclasses.dataclass(eq=False)
class Entry:
    """A file or a folder in a tree. A zip counts as a folder; nothing is unpacked.

    `kind` is "folder", "zip", "file", "damaged" for the contents of a zip that cannot be opened, "refused" for a folder
    that is not searched, or "unsafe" for an unsafe name. `read` returns the content of a file, or raises
    Unreadable. The root has no parent; `shown` is its displayed name.
    """

    name: str
    parent: Entry | None
    kind: str
    read: Callable[[], bytes]
    listing: Callable[[Entry], list[Entry]] = lambda entry: []
    shown: str = ""
    looked_into: dict[str, Any] = dataclasses.field(default_factory=dict)  # cache of what was found there
    modified: Callable[[], datetime | None] = lambda: None  # of a file, as the disk or the zip has it
    timestamp: Callable[[], bytes] | None = None  # of a folder: a file as nbgrader's, which says when
    git: bool = False  # of a folder: git's own is in it
    path: Path | None = None  # of a root, and of a file that was named: where it is
    named: list[Entry] = dataclasses.field(default_factory=list)  # of a root: all that were named together

    @functools.cached_property
    def children(self) -> list[Entry]:
        """What is in it, but for the first page of a student's copy of the course."""
        found = self.listing(self) if self.is_folder else []
        own = any(each.is_folder and each.name == HOME for each in found)
        return [each for each in found if not (own and each.name == FIRST_PAGE)]

    @functools.cached_property
    def steps(self) -> tuple[str, ...]:
        """The names that lead to it from the root; an entry without a name has its folder's."""
        return (*self.parent.steps, *filter(None, [self.name])) if self.parent else ()

    @functools.cached_property
    def root(self) -> Entry:
        return self.parent.root if self.parent else self

    @property
    def place(self) -> str:
        return "/".join((self.root.shown.rstrip("/"), *self.steps))

    @property
    def is_folder(self) -> bool:
        return self.kind in ("folder", "zip")

    @property
    def is_notebook(self) -> bool:
        return self.kind == "refused" or (self.kind == "file" and self.name.lower().endswith(".ipynb"))

    @property
    def folders(self) -> list[Entry]:
        """The folders in it that may hold work."""
        return [each for each in self.children if each.is_folder and each.name.lower() not in ASIDE]

    @property
    def around(self) -> list[Entry]:
        """The folders around it, the innermost first."""
        return list(ancestors(self))

    @property
    def beside(self) -> list[Entry]:
        """What is in the same folder, itself included; of what was named itself only names."""
        if self.parent:
            return self.parent.children
        try:
            return names_in(self.path.parent, self.path.parent.stat().st_mtime_ns) if self.path else [self]
        except OSError:
            return [self]

    @property
    def text(self) -> str:
        """The name without the ending of a file."""
        stem = self.name if self.kind == "folder" else PurePosixPath(self.name).stem
        return stem[:-6] if self.kind == "file" and stem.lower().endswith(".ipynb") else stem

    @functools.cached_property
    def said(self) -> Said:
        """What the name says about the owner."""
        return systems.said(self) or (Said(self.text) if self.kind == "folder" else systems.said_by_file(self.text))

    @functools.cached_property
    def names_person(self) -> bool:
        """True if this could be a student's name, or a system says that it is."""
        if self.kind in ("damaged", "unsafe"):
            return False
        aside = self.kind == "file" and not self.is_notebook and is_furniture(self)
        return bool(self.said.system) or not (aside or impersonal(self.said.name))

    @functools.cached_property
    def is_clone(self) -> bool:
        """True for a student's clone of the course: most of the notebooks in its `exercises` are ours."""
        home = next((each for each in self.children if each.is_folder and each.name == HOME), None)
        files = [each for each in home.children if each.is_notebook] if home else []
        return 2 * sum(chapter_named(each.text) is not None for each in files) > len(files)


@functools.lru_cache(maxsize=8)
def names_in(folder: Path, changed: int) -> list[Entry]:
    """What is in a folder on the disk, as it was when it was `changed`, to be asked for names alone."""

    def entry(path: Path) -> Entry:
        kind = "folder" if path.is_dir() else "zip" if path.suffix.lower() == ".zip" else "file"
        return Entry(unmistakable(path.name), None, kind, path.read_bytes)

    return [entry(path) for path in sorted(folder.iterdir())]


# --- names and places ----------------------------------------------------------------------------


def without_zips(entry: Entry) -> Entry:
    """The same folder or zip, without looking into the zips in it."""

    def listing(view: Entry) -> list[Entry]:
        seen = [without_zips(each) for each in entry.children if each.kind != "zip"]
        for each in seen:
            each.parent = view
        return seen

    view = Entry(entry.name, entry.parent, entry.kind, entry.read, listing, entry.shown)
    view.said = entry.said
    return view


def is_furniture(entry: Entry) -> bool:
    """True for a file whose name shows that it is not a student's work."""
    suffix = PurePosixPath(entry.name).suffix.lower()
    return entry.text.casefold() in FURNITURE.split() or suffix in NOT_WORK.split() or systems.is_its_own(entry)


def leaves(entry: Entry, zips: list[Entry] | None = None) -> Iterator[Entry]:
    """The file itself, or all files in a folder, however deep; limited if there are very many zips."""
    zips = [] if zips is None else zips
    zips += [entry] if entry.kind == "zip" else []
    if not entry.is_folder or len(zips) > MOST_ZIPS:
        yield entry
        return
    for each in entry.children:
        yield from leaves(each, zips)


def ancestors(entry: Entry) -> Iterator[Entry]:
    """The folders around an entry, up to the root."""
    while entry.parent:
        entry = entry.parent
        yield entry


def placed(entries: Iterable[Entry]) -> str:
    """Where some entries are, for a sentence."""
    return listed(each.place for each in entries)
