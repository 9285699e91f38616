"""Folders and zips as trees of entries, in which to look for submissions, and what the names in them say about people.

A zip counts as a folder. Nothing is read until it is needed. Names come from strangers: a zip is never unpacked, a link
is never followed, and nothing here writes.
"""

from __future__ import annotations

import dataclasses
import functools
import io
import itertools
import lzma
import os
import re
import stat
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any

from minigrad_course.grading import lms as systems
from minigrad_course.grading.people.names import Said, impersonal, listed, readable, unmistakable
from minigrad_course.parts import chapter_named
from minigrad_course.texts.folders import FIRST_PAGE
from minigrad_course.texts.submitted import LARGEST, Unreadable, content_of, demand_bounded

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
DAMAGE = (OSError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, RuntimeError, ValueError)
MOST_MEMBERS = 1_000_000  # of a zip: its list of names alone takes memory
MOST_INSIDE = 10_000  # of a zip in a zip or folder
DEEPEST = 8  # folders in a folder
NESTED = 3  # zips in a zip
EARLIEST = 1990  # a zip without times has 1980
TIMESTAMP, GIT = "timestamp.txt", ".git"
LEFT_BEHIND = ("__macosx", "site-packages", TIMESTAMP, "thumbs.db", "desktop.ini")
FOLDER, ZIP, NOTHING = "this is a folder.", "this is a zip.", "there is no notebook in the folder."
LINK = "this is a link to a folder; submit the files themselves."
TOO_DEEP = f"folders are nested more than {DEEPEST} deep; submit the file alone."


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
        result = self.listing(self) if self.is_folder else []
        own = any(item.is_folder and item.name == HOME for item in result)
        return [item for item in result if not (own and item.name == FIRST_PAGE)]

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
        return [child for child in self.children if child.is_folder and child.name.lower() not in ASIDE]

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
        home = next((child for child in self.children if child.is_folder and child.name == HOME), None)
        files = [child for child in home.children if child.is_notebook] if home else []
        return 2 * sum(chapter_named(file.text) is not None for file in files) > len(files)


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
        seen = [without_zips(child) for child in entry.children if child.kind != "zip"]
        for item in seen:
            item.parent = view
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
    for child in entry.children:
        yield from leaves(child, zips)


def ancestors(entry: Entry) -> Iterator[Entry]:
    """The folders around an entry, up to the root."""
    while entry.parent:
        entry = entry.parent
        yield entry


def placed(entries: Iterable[Entry]) -> str:
    """Where some entries are, for a sentence."""
    return listed(entry.place for entry in entries)


# --- on the disk, and in zips ---------------------------------------------------------------------


def real(path: Path) -> Path:
    """Where a path leads through any links, even circular ones."""
    return Path(os.path.realpath(path))


def tree(path: Path, shown: str) -> Entry:
    """A folder or a zip, to be looked into."""
    name = unmistakable(path.name)
    if path.suffix.lower() == ".zip" and not path.is_dir():
        top = Entry(name, None, "zip", refuse(ZIP), functools.partial(in_zip, Packed(path)), shown)
    else:
        top = Entry(name, None, "folder", refuse(FOLDER), functools.partial(in_folder, path), shown)
    top.modified, top.path = functools.partial(modified, path), path
    return top


def lone(path: Path) -> Entry:
    """A file that was named individually. If its name is only the exercise's, its place says whose it is."""
    read, when, where, path = (
        functools.partial(content_of, path),
        functools.partial(modified, path),
        path.absolute(),
        Path(unmistakable(str(path))),
    )
    entry = Entry(path.name, None, "file", read, shown=str(path), modified=when, path=where)
    if chapter_named(path.stem) is None:
        entry.said = systems.said(entry) or Said(path.stem)
        return entry
    counts = [count for count, folder in enumerate(path.parts[:-1]) if count > 1 and chapter_named(folder)]
    entry.said = Said(path.parts[counts[-1] - 1] if counts else str(path))
    return entry


# --- folders -------------------------------------------------------------------------------------


def in_folder(path: Path, entry: Entry) -> list[Entry]:
    """The contents of a folder. Links and entries that are too deep are listed but cannot be read."""
    try:
        with os.scandir(path) as listing:
            members = sorted(listing, key=lambda item: item.name)
    except OSError as error:
        return [Entry("", entry, "refused", refuse(f"it cannot be listed: {error.strerror}."))]
    result: list[Entry] = []
    for member in members:
        inside, name = path / member.name, unmistakable(member.name)
        if member.name.casefold() == TIMESTAMP and not member.is_symlink():
            entry.timestamp = functools.partial(content_of, inside)
        entry.git = entry.git or member.name == GIT
        if hidden(member.name):
            continue
        if member.is_symlink() and member.is_dir():
            result.append(Entry(name, entry, "refused", refuse(LINK)))
        elif member.is_dir() and len(entry.steps) < DEEPEST:
            result.append(Entry(name, entry, "folder", refuse(FOLDER), functools.partial(in_folder, inside)))
        elif member.is_dir():
            result += (
                []
                if any(item.kind == "refused" for item in result)
                else [Entry(name, entry, "refused", refuse(TOO_DEEP))]
            )
        elif member.name.lower().endswith(".zip") and member.is_file(follow_symlinks=False):
            packed = Packed(inside, nested=1)
            result.append(Entry(name, entry, "zip", refuse(ZIP), functools.partial(in_zip, packed)))
        else:
            result.append(Entry(name, entry, "file", functools.partial(content_of, inside)))
        result[-1].modified = functools.partial(modified, inside)
    return result


def modified(path: Path) -> datetime | None:
    """When a file was changed last."""
    try:
        return from_seconds(path.lstat().st_mtime)
    except OSError:
        return None


def from_seconds(seconds: float) -> datetime | None:
    """A file's time; None where the system has none that makes sense."""
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError, ValueError):
        return None


def hidden(name: str) -> bool:
    """True for leftovers of editors, systems, installers and nbgrader, such as .ipynb_checkpoints."""
    return name.startswith(".") or name.casefold() in LEFT_BEHIND


def refuse(sentence: str, error: type[Unreadable] = Unreadable) -> Callable[[], bytes]:
    """A reader that only says why there is nothing to read."""

    def read() -> bytes:
        raise error(sentence)

    return read


# --- zips ----------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True, eq=False)
class Packed:
    """A zip: a file, or a member of another one. `nested` counts the folders and zips that it is in."""

    path: Path
    around: Packed | None = None
    member: zipfile.ZipInfo | None = None
    nested: int = 0

    def read(self, member: zipfile.ZipInfo) -> bytes:
        """What a member holds. Unreadable if it is too large or damaged."""
        try:
            with opened(self).open(member) as file:
                content = file.read(LARGEST + 1)  # whatever size the zip says it has
        except DAMAGE as error:
            raise Unreadable(f"it cannot be read from the zip: {readable(str(error))}.") from None
        demand_bounded(content)
        return content


@functools.lru_cache(maxsize=4)
def opened(packed: Packed) -> zipfile.ZipFile:
    """Open the zip; only a few are open at a time. Unreadable if it is not a zip."""
    try:
        if packed.around and packed.member:
            archive = zipfile.ZipFile(io.BytesIO(packed.around.read(packed.member)))
        else:  # a student may replace the file with a link
            archive = zipfile.ZipFile(io.BytesIO(content_of(packed.path)) if packed.nested else packed.path)
    except zipfile.BadZipFile:
        raise Unreadable(no_zip(packed)) from None
    except (OSError, ValueError, NotImplementedError) as error:
        raise Unreadable(f"it cannot be read: {getattr(error, 'strerror', None) or error}.") from None
    most = MOST_INSIDE if packed.nested else MOST_MEMBERS
    if len(archive.infolist()) > most:
        raise Unreadable(f"it has more than {most:,} members; split it.")
    return archive


def no_zip(packed: Packed) -> str:
    """What is wrong with a file that cannot be opened as a zip."""
    if packed.around and packed.member:
        start = packed.around.read(packed.member)[:2]
    else:
        with packed.path.open("rb") as file:
            start = file.read(2)
    if not start:
        return "this is an empty file, not a zip."
    return "the zip is damaged; get it again." if start == b"PK" else "this is not a zip, whatever its name says."


def in_zip(packed: Packed, entry: Entry) -> list[Entry]:
    """The top level of a zip; members with unsafe names are listed but cannot be read."""
    try:
        members = opened(packed).infolist()
    except Unreadable as error:
        return [Entry("", entry, "damaged", refuse(str(error)))]
    kept: dict[tuple[str, ...], list[Entry]] = {(): []}
    folders: dict[tuple[str, ...], Entry] = {(): entry}

    def folder(steps: tuple[str, ...]) -> tuple[Entry, list[Entry]]:
        """The folder at these steps, created if necessary, and its contents."""
        if steps not in folders:
            above, beside = folder(steps[:-1])
            inside = kept[steps] = []
            folders[steps] = Entry(steps[-1], above, "folder", refuse(FOLDER), lambda _: in_order(inside))
            beside.append(folders[steps])
        return folders[steps], kept[steps]

    doubled = Counter(member.filename for member in members)
    for member in members:
        name = spelled(member)
        steps = PurePosixPath(name).parts
        seen = list(itertools.takewhile(lambda step: step == ".." or not hidden(step), steps))
        if len(seen) < len(steps):
            if not unsafe(name) and len(seen) <= DEEPEST:
                around, _ = folder(tuple(seen))  # with nothing else in it, it is an empty one
                if len(seen) == len(steps) - 1 and steps[-1].casefold() == TIMESTAMP:
                    around.timestamp = functools.partial(packed.read, member)
                around.git = around.git or steps[len(seen)] == GIT
            continue
        if not steps:
            continue
        if reason := unsafe(name):
            if name.lower().endswith(".ipynb"):  # at the top, even if the folders' names are unsafe
                around, inside = folder(() if len(steps) > DEEPEST or unsafe("/".join(steps[:-1])) else steps[:-1])
                shown = name if around is entry else steps[-1]
                inside.append(Entry(ascii(shown)[1:-1], around, "unsafe", refuse(reason)))
        elif len(steps) - (not member.is_dir()) > DEEPEST:
            around, inside = folder(steps[:DEEPEST])
            if not any(item.kind == "refused" for item in inside):
                inside.append(Entry(steps[DEEPEST], around, "refused", refuse(TOO_DEEP)))
        elif member.is_dir():
            folder(steps)
        elif doubled[member.filename]:
            around, inside = folder(steps[:-1])
            inside.append(member_in(packed, member, around, steps[-1], doubled[member.filename] > 1))
            inside[-1].modified = functools.partial(from_zip, member.date_time)
            doubled[member.filename] *= doubled[member.filename] == 1  # one refusal for all of a name
    return in_order(kept[()])


def in_order(entries: list[Entry]) -> list[Entry]:
    """Entries by name."""
    return sorted(entries, key=lambda item: item.name)


def member_in(packed: Packed, member: zipfile.ZipInfo, above: Entry, name: str, doubled: bool) -> Entry:
    """A member of a zip that has a good name."""
    kind = stat.S_IFMT(member.external_attr >> 16)
    if kind not in (0, stat.S_IFREG):
        return Entry(name, above, "file", refuse("it is a link or a device, not a file."))
    if doubled:
        return Entry(name, above, "file", refuse("the zip has several members with this name."))
    if not name.lower().endswith(".zip"):
        return Entry(name, above, "file", functools.partial(packed.read, member))
    if packed.nested == NESTED:
        return Entry(name, above, "file", refuse(f"zips are nested more than {NESTED} deep; submit the file alone."))
    inner = Packed(packed.path, packed, member, packed.nested + 1)
    return Entry(name, above, "zip", refuse(ZIP), functools.partial(in_zip, inner))


def from_zip(date_time: tuple[int, ...]) -> datetime | None:
    """A zip's time, which has no zone; None where it has none."""
    try:
        result = datetime(*date_time[:6])  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    return result if result.year >= EARLIEST else None


def spelled(member: zipfile.ZipInfo) -> str:
    """The name of a member; some systems write UTF-8 and do not say so."""
    name = member.orig_filename  # `filename` has been made to look harmless
    if member.flag_bits & 0x800 or name.isascii():
        return name
    try:
        return name.encode("cp437").decode("utf-8")
    except UnicodeError:
        return name


def unsafe(name: str) -> str | None:
    """Why a member of a zip with this name is refused; None if it is not."""
    if name.startswith(("/", "\\")) or re.match(r"[A-Za-z]:", name) or ".." in re.split(r"[/\\]", name):
        return "its name in the zip leads out of the zip."
    if "\\" in name or any(not item.isprintable() for item in name):
        return "its name in the zip has characters that no file name should have."
    return None
