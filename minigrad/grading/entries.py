"""The contents of folders and zips as a tree: files and folders with their names, and what these say about people.

A zip counts as a folder. Nothing is read until it is needed.
"""

from __future__ import annotations

import dataclasses
import functools
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any

from minigrad.course.folders import FIRST_PAGE
from minigrad.course.parts import chapter_named
from minigrad.course.submitted import Unreadable
from minigrad.grading.roster import Said, impersonal, said_by_file, said_by_system

HOME = "exercises"  # where the notebooks of a student's clone are
# folders of a clone with nothing to grade in them, and why
ASIDE = {
    "lessons": "lessons hold no answers",
    "solutions": "solutions are not the student's own work",
    "backups": "these are earlier copies",
}
METADATA = "submission_metadata.yml"  # where Gradescope lists the owners
# files next to students' work that belong to nobody
FURNITURE = "conftest readme license makefile setup requirements environment grades gradebook index"
NOT_WORK = ".md .yml .yaml .toml .cfg .ini .csv .log .db .sqlite .xml .lock .rst .bat .sh"
STROKES = str.maketrans("øłđ", "old")  # letters that Unicode does not take apart
MOST_NAMED = 5  # in a sentence
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
    timestamp: Callable[[], bytes] | None = None  # of a folder: nbgrader's file, which says when

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
    def text(self) -> str:
        """The name without the ending of a file."""
        stem = self.name if self.kind == "folder" else PurePosixPath(self.name).stem
        return stem[:-6] if self.kind == "file" and stem.lower().endswith(".ipynb") else stem

    @functools.cached_property
    def said(self) -> Said:
        """What the name says about the owner."""
        above = self.parent.text if self.parent else ""
        return said_by_system(self.text, above, folder=self.kind == "folder") or (
            Said(self.text) if self.kind == "folder" else said_by_file(self.text)
        )

    @functools.cached_property
    def names_person(self) -> bool:
        """True if this could be a student's name, or a system says that it is."""
        if self.kind in ("damaged", "unsafe") or (self.kind == "file" and not self.is_notebook and is_furniture(self)):
            return False
        return bool(self.said.system) or not impersonal(self.said.name)

    @functools.cached_property
    def is_clone(self) -> bool:
        """True for a student's clone of the course: most of the notebooks in its `exercises` are ours."""
        home = next((each for each in self.children if each.is_folder and each.name == HOME), None)
        files = [each for each in home.children if each.is_notebook] if home else []
        return 2 * sum(chapter_named(each.text) is not None for each in files) > len(files)

    @functools.cached_property
    def metadata(self) -> str:
        """Of a folder that Gradescope made: its file about the submissions, "" where there is none."""
        file = next((each for each in self.children if each.kind == "file" and each.name == METADATA), None)
        try:
            return file.read().decode("utf-8") if file else ""
        except (Unreadable, UnicodeError):
            return ""

    @functools.cached_property
    def submitters(self) -> dict[str, list[Said]]:
        """Of a folder that Gradescope made: whose each submission in it is."""
        if not self.metadata:
            return {}
        from minigrad.grading import gradescope  # here, because YAML takes a while to import, and few need it

        found = gradescope.submitters(self.metadata)
        return {folder: [said for each in people if (said := submitter(each))] for folder, people in found.items()}

    @functools.cached_property
    def created(self) -> dict[str, str]:
        """Of a folder that Gradescope made: when each submission in it was handed in."""
        if not self.metadata:
            return {}
        from minigrad.grading import gradescope

        return gradescope.times(self.metadata)


# --- names and places ----------------------------------------------------------------------------


def readable(name: str) -> str:
    """A name as text that can be stored: bytes that are not UTF-8 are spelled out."""
    return name.encode("utf-8", "backslashreplace").decode("utf-8")


def unmistakable(name: str) -> str:
    """A name or path from the disk as `readable` text; no two become the same. To be done once."""
    # backslashes before what is, or looks like, something spelled out: an even count is the name's own
    return readable(re.sub(r"\\+(?=ud[89a-f]|[\ud800-\udfff])", lambda found: found[0] * 2, name))


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
    return entry.text.casefold() in FURNITURE.split() or PurePosixPath(entry.name).suffix.lower() in NOT_WORK.split()


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


def by_name(name: str) -> tuple[list[str | int], str]:
    """A key that sorts names as a page does: small and capital letters alike, accents aside, numbers as numbers."""
    letters = unicodedata.normalize("NFKD", name.replace("_", " ").casefold().translate(STROKES))
    plain = "".join(each for each in letters if not unicodedata.combining(each))
    pieces = re.split(r"(\d{1,9})", plain)  # a text and a number in turn
    return [int(each) if at % 2 else each for at, each in enumerate(pieces)], name


def number_of(count: int, noun: str) -> str:
    """A count with its noun, such as "2 students"."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def listed(names: Iterable[str], most: int = MOST_NAMED) -> str:
    """Some of the names, and how many more there are."""
    found = list(dict.fromkeys(names))
    more = f" and {len(found) - most} more" if len(found) > most else ""
    return ", ".join(found[:most]) + more


def placed(entries: Iterable[Entry]) -> str:
    """Where some entries are, for a sentence."""
    return listed(each.place for each in entries)


def submitter(facts: Mapping[str, str]) -> Said | None:
    """Who handed it in, by name, with whatever distinguishes people of the same name."""
    name, email, number = (unmistakable(facts.get(key, "")) for key in (":name", ":email", ":sid"))
    name = name or email or number
    return Said(name, number or email, "Gradescope") if name else None
