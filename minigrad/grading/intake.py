"""Find the submissions in what an instructor points at: a folder in nbgrader's layout, a flat one, a zip, single files.

Names come from strangers: a zip is never unpacked, a link is never followed, and nothing here writes.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import os
import re
import stat
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from types import MappingProxyType

from minigrad.course import source
from minigrad.course.parts import chapter_named
from minigrad.course.submitted import LARGEST, Unreadable, content_of, demand_bounded

MOST_MEMBERS = 1_000_000  # of a zip: its list of names alone takes memory
DEEPEST = 8  # folders in a folder
HOME = "exercises"  # where the notebooks of a student's clone are
# folders of a clone with nothing to grade in them, and why
ASIDE = {
    "lessons": "lessons hold no answers",
    "solutions": "solutions are not the student's own work",
    "backups": "these are earlier copies",
}
MOODLE = "_assignsubmission_"  # stands in the folder that Moodle makes for a student


class BadIntake(Exception):
    """There is nothing to grade in what was named; the message says why and what to do."""


class NotGraded(Unreadable):
    """What lies beside the work of a student, and is not part of it; the message says why it was left out."""


@dataclasses.dataclass(frozen=True)
class HandedIn:
    """One notebook that a student handed in, or a folder of those that are not graded.

    `place` says where it lies, and is unlike all others. `assignment` is the exercise it was handed in for, "" if
    nothing says so. `read` gives its content, or raises Unreadable; NotGraded for what is none of the student's work.
    """

    place: str
    student: str
    assignment: str
    read: Callable[[], bytes]


def handed_in(paths: Iterable[Path]) -> tuple[list[HandedIn], bool]:
    """The submissions in files, folders and zips, in the order named; True if any of them was a folder or a zip.

    BadIntake for a folder or a zip without a notebook. A file that cannot be read becomes a submission that says so.
    """
    found: list[HandedIn] = []
    many = False
    for path in paths:
        if path.is_dir() and path.suffix != ".ipynb":
            many, inside = True, in_folder(path)
        elif path.suffix.lower() == ".zip":
            many, inside = True, in_zip(path)
        else:
            read = functools.partial(content_of, path)
            inside = [HandedIn(readable(str(path)), readable(owner_of_file(path)), "", read)]
        if not inside:
            raise BadIntake(f"{path}: there is no notebook in it; name a folder or a zip of .ipynb files.")
        found += inside
    return told_apart(found), many


def told_apart(found: list[HandedIn]) -> list[HandedIn]:
    """The same submissions, each with a place of its own: a file named twice is judged twice."""
    seen: Counter[str] = Counter()
    apart = []
    for each in found:
        seen[each.place] += 1
        again = seen[each.place]
        apart.append(each if again == 1 else dataclasses.replace(each, place=f"{each.place} ({again})"))
    return apart


def readable(name: str) -> str:
    """A name as text that can be stored: bytes that are not UTF-8 are spelled out."""
    return name.encode("utf-8", "backslashreplace").decode("utf-8")


# --- folders -------------------------------------------------------------------------------------


def in_folder(folder: Path) -> list[HandedIn]:
    """The submissions below a folder. Links and devices become submissions that cannot be read."""
    found: dict[tuple[str, ...], Callable[[], bytes]] = {}

    def not_listed(error: OSError) -> None:
        found[Path(error.filename).relative_to(folder).parts] = refuse(f"it cannot be listed: {error.strerror}.")

    for place, folders, files in os.walk(folder, onerror=not_listed):
        inside = Path(place).relative_to(folder).parts
        before = len(found)
        links = [name for name in folders if Path(place, name).is_symlink() and not hidden(name)]
        folders[:] = sorted(name for name in folders if name not in links and not hidden(name))
        if folders and len(inside) == DEEPEST:
            sentence = f"more than {DEEPEST} folders lie in each other; hand in the file alone."
            found[(*inside, folders[0])] = refuse(sentence)
            folders.clear()
        for name in sorted(links):
            found[(*inside, name)] = refuse("this is a link to a folder; hand in the files themselves.")
        for name in sorted(files):
            if name.lower().endswith(".ipynb") and not hidden(name):
                found[(*inside, name)] = functools.partial(content_of, Path(place, name))
        if len(inside) == 2 and chapter_named(inside[1]) and not folders and len(found) == before:
            found[(*inside, f"{inside[1]}.ipynb")] = refuse("there is no notebook in the folder.")
    return sorted_out(found, str(folder), folder.resolve().name)


def hidden(name: str) -> bool:
    """True for what editors, systems and installers leave behind, as .ipynb_checkpoints."""
    return name.startswith(".") or name in ("__MACOSX", "site-packages")


def refuse(sentence: str, error: type[Unreadable] = Unreadable) -> Callable[[], bytes]:
    """A reader that only says why there is nothing to read."""

    def read() -> bytes:
        raise error(sentence)

    return read


# --- zips ----------------------------------------------------------------------------------------


def in_zip(path: Path) -> list[HandedIn]:
    """The submissions in a zip as a learning management system exports it; members with unsafe names are refused."""
    try:
        archive = zipfile.ZipFile(path)
    except zipfile.BadZipFile:
        raise BadIntake(f"{path}: this is not a zip.") from None
    except (OSError, ValueError, NotImplementedError) as error:
        raise BadIntake(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from None
    members = archive.infolist()
    if len(members) > MOST_MEMBERS:
        raise BadIntake(f"{path}: it has more than {MOST_MEMBERS:,} members; split it.")
    found: dict[tuple[str, ...], Callable[[], bytes]] = {}
    refused: list[HandedIn] = []
    doubled = Counter(member.filename for member in members)
    for member in members:
        name = member.orig_filename  # `filename` has been made to look harmless
        steps = PurePosixPath(name).parts
        if member.is_dir() or not name.lower().endswith(".ipynb") or any(map(hidden, set(steps) - {".."})):
            continue
        if reason := unsafe(name, member.external_attr >> 16):
            shown = readable(ascii(name)[1:-1])
            refused.append(HandedIn(f"{readable(str(path))}/{shown}", PurePosixPath(shown).stem, "", refuse(reason)))
        elif doubled[member.filename] > 1:
            found[steps] = refuse("the zip has several members of this name.")
        else:
            found[steps] = functools.partial(content_of_member, archive, member)
    return sorted_out(found, str(path), path.stem) + refused


def unsafe(name: str, mode: int) -> str | None:
    """Why a member of a zip is refused; None if it is not."""
    if name.startswith(("/", "\\")) or re.match(r"[A-Za-z]:", name) or ".." in re.split(r"[/\\]", name):
        return "its name in the zip leads out of the zip."
    if "\\" in name or any(not each.isprintable() for each in name):
        return "its name in the zip has characters that no file name should have."
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        return "it is a link or a device, not a file."
    return None


def content_of_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """What a member of a zip holds. Unreadable if it is too large or damaged."""
    try:
        with archive.open(member) as file:
            content = file.read(LARGEST + 1)  # whatever size the zip says it has
    except (OSError, zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, ValueError) as error:
        raise Unreadable(f"it cannot be read from the zip: {readable(str(error))}.") from None
    demand_bounded(content)
    return content


# --- whose it is ---------------------------------------------------------------------------------


def sorted_out(found: dict[tuple[str, ...], Callable[[], bytes]], root: str, root_name: str) -> list[HandedIn]:
    """The submissions of a folder or a zip, with what their places say about them."""
    aside = Counter(folder for steps in found if (folder := folder_aside(steps)))
    own = {steps: read for steps, read in found.items() if not folder_aside(steps)}
    clones = clones_in(own, aside, root_name)
    folders = {steps[:-1] for steps in own}
    flat = len(folders) == 1 and len(own) > 1  # one folder for all of them: the files are the students'

    def made(steps: tuple[str, ...], read: Callable[[], bytes]) -> HandedIn:
        student, assignment = owner(steps, root_name, flat, clones)
        place = readable("/".join((root.rstrip("/"), *steps)))
        return HandedIn(place, readable(student), readable(assignment), read)

    graded = list(one_each(made(steps, read) for steps, read in own.items()))
    return graded + [made(folder, refuse(not_graded(folder[-1], count), NotGraded)) for folder, count in aside.items()]


def folder_aside(steps: tuple[str, ...]) -> tuple[str, ...]:
    """The folder that keeps a notebook from being graded, () if there is none."""
    return next((steps[: count + 1] for count, step in enumerate(steps[:-1]) if step.lower() in ASIDE), ())


def not_graded(folder: str, count: int) -> str:
    """Why the notebooks of a folder are not graded."""
    notebooks = "1 notebook in it was" if count == 1 else f"{count} notebooks in it were"
    return f"{notebooks} not graded: {ASIDE[folder.lower()]}."


def clones_in(
    own: Iterable[tuple[str, ...]], aside: Iterable[tuple[str, ...]], root_name: str
) -> dict[tuple[str, ...], str]:
    """The folders of clones of the course, and whose they are: their first step that tells one from another."""
    exercises = source.names("exercises")
    clones = {steps[:-1] for steps in own if steps[-2:-1] == (HOME,) and PurePosixPath(steps[-1]).stem in exercises}
    clones |= {folder for folder in aside if folder[-1].lower() != "backups"}
    columns = zip(*clones, *(steps[:-1] for steps in own), strict=False)
    shared = sum(1 for _ in itertools.takewhile(lambda column: len(set(column)) == 1, columns))
    whose = {folder: (*folder[shared:-1], *folder[:-1], root_name)[0] for folder in clones}
    # what else lies in a student's clone is that student's too
    return whose | {folder[:-1]: student for folder, student in whose.items() if folder[-1] == HOME and folder[:-1]}


def owner(
    steps: tuple[str, ...], root_name: str, flat: bool, clones: Mapping[tuple[str, ...], str] = MappingProxyType({})
) -> tuple[str, str]:
    """The student and the assignment that a place names: STUDENT/ASSIGNMENT/FILE, STUDENT/FILE or STUDENT.ipynb.

    `clones` are the folders that are a student's clone of the course, or in one.
    """
    *folders, name = steps
    moodle = [folder for folder in folders if MOODLE in folder]
    assignments = [count for count, folder in enumerate(folders) if chapter_named(folder)]
    if moodle:
        return moodle[-1].partition(MOODLE)[0], folders[assignments[-1]] if assignments else ""
    if assignments:
        count = assignments[-1]
        return folders[count - 1] if count else root_name, folders[count]
    for count in range(len(steps), 0, -1):
        if steps[:count] in clones:
            return clones[steps[:count]], ""
    if len(folders) > 1 and not flat:
        return folders[-2], ""
    if folders and not flat:
        return folders[-1], ""
    stem = PurePosixPath(name).stem
    names = "|".join(map(re.escape, source.names("exercises")))
    # a learning management system puts the student in front, and a number behind what was handed in again
    matched = re.fullmatch(rf"(.+?)[ _.-]+(?:{names})(?:[ _-]?\(?\d+\)?)?", stem)
    return matched.group(1) if matched else stem, ""


def owner_of_file(path: Path) -> str:
    """The student of a file named by itself: its place says it where its name is only the exercise's."""
    if chapter_named(path.stem) is None:
        return path.stem
    if any(chapter_named(folder) for folder in path.parts[1:-1]):
        return owner(path.parts, "", False)[0]
    return str(path)


def one_each(found: Iterable[HandedIn]) -> Iterator[HandedIn]:
    """For each student and assignment one notebook: the one that has the exercise's own name, if there are several."""
    groups: dict[tuple[str, str], list[HandedIn]] = {}
    for each in found:
        groups.setdefault((each.student, each.assignment or each.place), []).append(each)
    for (_, assignment), group in groups.items():
        own = [each for each in group if PurePosixPath(each.place).stem == assignment]
        if len(group) == 1 or len(own) == 1:
            yield (own or group)[0]
        else:
            which = f"{len(own)} of them are" if own else "none is"
            sentence = f"{len(group)} notebooks were handed in, and {which} called {assignment}.ipynb."
            yield dataclasses.replace(group[0], read=refuse(sentence))
