"""Find the submissions in what an instructor names: folders and zips made by systems and students, and files.

Names come from strangers: a zip is never unpacked, a link is never followed, and nothing here writes.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from minigrad_course.grading.collect.kinds import kind_of
from minigrad_course.grading.collect.owners import Claim, Remark, owners
from minigrad_course.grading.collect.trees import (
    ASIDE,
    NOTHING,
    Entry,
    ancestors,
    is_furniture,
    leaves,
    lone,
    real,
    refuse,
    tree,
)
from minigrad_course.grading.lms import when_of
from minigrad_course.grading.lms.roster import Roster
from minigrad_course.grading.people.names import impersonal, listed, number_of, readable, unmistakable
from minigrad_course.grading.records.record import HandedIn, Intake, Named, NotGraded, is_in
from minigrad_course.parts import chapter_named
from minigrad_course.texts.folders import COPY
from minigrad_course.texts.submitted import Unreadable, code_cells, loaded

MOST_JUDGED = 20  # notebooks of one student side by side, or in one folder
COPIES = re.compile(r"(old|backups?|cop(y|ies)|archive|previous|drafts?)([\W_\d].*)?", re.IGNORECASE)


class BadIntake(Exception):
    """There is nothing to grade; the message says why and what to do."""


def handed_in(
    paths: Iterable[Path],
    roster: Roster | None = None,
    roots: Mapping[str, Path] = MappingProxyType({}),
    known: Mapping[str, str] = MappingProxyType({}),
) -> Intake:
    """The submissions in files, folders and zips, in the order named.

    `roots` are folders and zips that were graded earlier: names and owners inside stay as they were. `known`
    are the `ids` of earlier gradings.
    BadIntake if there is nothing to grade. Anything unreadable becomes a submission that says so.
    """
    paths = list(paths)
    demand_there(paths)
    named, targets = roots_of(paths, roots)
    trees = [tree(item.path, shown) for shown, item in named.items()]
    for top in trees:
        top.named = trees
    files = {place: lone(path) for path, (root, place) in zip(paths, targets, strict=True) if not root}
    if not files:
        demand_something(trees)
        seen = {item.path for item in named.values()} & {*roots.values()}
        named_after = [item for item in trees if not impersonal(item.text)]
        if not roster and not seen and named_after and all(map(is_programs, trees)):
            them = ", ".join(map(str, paths))
            raise BadIntake(f"{them}: only Python programs are there, so nothing was graded; name notebooks.")
    claims, remarks = owners(trees, list(files.values()), roster, known)
    rows: dict[str, list[HandedIn]] = {}  # by the root or file that was named
    for item in told_apart(list(rows_of(claims))):
        rows.setdefault(item.root or item.place, []).append(item)
    results: list[HandedIn] = []
    given: set[str] = set()
    for root, place in targets:
        inside = [item for item in rows.get(root or place, ()) if is_in(item.place, place)]
        results += [item for item in inside if not root or item.place not in given]
        given |= {item.place for item in inside}
    if not results:
        raise BadIntake(f"{paths[0]}: nothing in it was graded; name its parent folder to see why.")
    here, ids = {item.student for item in results}, {claim.key: claim.student for claim in claims if claim.key}
    ids = {key: student for key, student in ids.items() if student in here}
    return Intake(told_apart(results), any(map(is_tree, paths)), heard(remarks, named, set(files.values())), named, ids)


def heard(remarks: list[Remark], named: dict[str, Named], files: set[Entry]) -> list[str]:
    """The remarks on what was named; each root also keeps its own."""
    sentences = []
    for remark in remarks:
        about = [root for root in named.values() if any(concerns(root, item) for item in remark.about)]
        for root in about:
            root.remarks.append(readable(remark.text))
        if about or any(item in files for item in remark.about):
            sentences.append(readable(remark.text))
    return sentences


def concerns(named: Named, entry: Entry) -> bool:
    """True if an entry is inside what was named, or around it."""
    place = readable(entry.place)
    around = named.covers(place) or any(is_in(item, place) for item in named.inside)
    return entry.root.shown == named.shown and around


def told_apart(found: list[HandedIn]) -> list[HandedIn]:
    """The same submissions, each with its own place: a file named twice is judged twice."""
    seen: Counter[str] = Counter()
    apart = []
    for item in found:
        seen[item.place] += 1
        again = seen[item.place]
        apart.append(item if again == 1 else dataclasses.replace(item, place=f"{item.place} ({again})"))
    return apart


# --- what was named ------------------------------------------------------------------------------


def is_tree(path: Path) -> bool:
    """True for a folder or a zip."""
    return (path.is_dir() and path.suffix != ".ipynb") or path.suffix.lower() == ".zip"


def roots_of(paths: list[Path], known: Mapping[str, Path]) -> tuple[dict[str, Named], list[tuple[str, str]]]:
    """The folders and zips to search; and for each path its root ("" if none) and its place."""
    # a linked file keeps its own place, not that of its target
    where = [real(path) if is_tree(path) else real(path.parent) / path.name for path in paths]
    named_here = reversed(list(zip(paths, where, strict=True)))
    typed = {place: unmistakable(str(path)) for path, place in named_here if is_tree(path)}
    shown = {place: name for name, place in known.items()}
    earlier, taken = set(shown), set(known)
    named: dict[str, Named] = {}
    targets = []
    for path, place in zip(paths, where, strict=True):
        tops = [top for top in (place, *place.parents) if top in shown or top in typed]
        if not tops:
            targets.append(("", unmistakable(str(path))))
            continue
        top = place if place in earlier else tops[-1]
        if top not in shown:
            shown[top] = unmistakable(str(top)) if typed[top] in taken else typed[top]
            taken.add(shown[top])
        root = readable(shown[top])
        inside = "/".join((root.rstrip("/"), *map(unmistakable, place.relative_to(top).parts)))
        named.setdefault(root, Named(top, root)).inside.add(inside)
        targets.append((root, inside))
    return named, targets


def demand_there(paths: list[Path]) -> None:
    """BadIntake if anything that was named does not exist: a typo is not a student without work."""
    for path in paths:
        try:
            path.lstat()
        except (FileNotFoundError, NotADirectoryError, ValueError):  # the latter for a NUL in its name
            raise BadIntake(
                f"{path}: there is no such file or folder, so nothing was graded; check the name."
            ) from None
        except OSError as error:
            raise BadIntake(f"{path} cannot be read, so nothing was graded: {error.strerror or error}.") from None


def demand_something(trees: list[Entry]) -> None:
    """BadIntake if everything that was named is empty or damaged."""
    if any(child.kind != "damaged" for item in trees for child in item.children):
        return
    for child in trees[0].children:
        try:
            child.read()
        except Unreadable as error:
            raise BadIntake(f"{trees[0].shown}: {error}") from None
    raise BadIntake(f"{trees[0].shown}: there is no notebook in it; name a folder or a zip of .ipynb files.")


def is_programs(top: Entry) -> bool:
    """True for a folder in which Python programs lie, none of them called like an exercise."""
    results = [child for child in top.children if not child.is_folder and not is_furniture(child)]
    inside = [leaf for folder in top.folders if folder.name != "__pycache__" for leaf in leaves(folder)]
    return (
        bool(results)
        and not inside
        and all(item.name.endswith(".py") and not chapter_named(item.text) for item in results)
    )


# --- rows ----------------------------------------------------------------------------------------


def rows_of(claims: list[Claim]) -> Iterator[HandedIn]:
    """The rows of each student's work to judge, and of work that belongs to nobody."""
    owned: dict[tuple[Entry | None, Entry, str], list[Entry]] = {}
    for claim in claims:
        if claim.student:
            root = claim.entry.root
            owned.setdefault((claim.entry.parent, root if root.is_folder else claim.entry, claim.student), []).append(
                claim.entry
            )
    for (_, _, student), entries in owned.items():
        yield from of_student(student, entries)
    for claim in claims:
        if not claim.student:
            yield of_nobody(claim)


def row(
    entry: Entry, owners: list[Entry], student: str, assignment: str, read: Callable[[], bytes], inside: str = ""
) -> HandedIn:
    """A row for an entry, or for what should be `inside` it. One of the `owners` is the entry or around it."""
    place = readable(f"{entry.place}/{inside}" if inside else entry.place)
    root = readable(entry.root.shown) if entry.root.is_folder else ""
    owner = next((item for item in (entry, *ancestors(entry)) if item in owners), entry)
    return HandedIn(place, readable(student), readable(assignment), read, root, when_of(entry, owner))


def of_nobody(claim: Claim) -> HandedIn:
    """Work that belongs to nobody: its row says why, and it is never graded."""
    entry = claim.entry
    if entry.kind == "unsafe":
        return row(entry, [entry], "", "", entry.read)
    damage = next((child for child in entry.children if child.kind == "damaged"), None)
    if entry.parent is None and entry.is_folder and (damage or not entry.children):
        return row(entry, [entry], "", "", damage.read if damage else refuse(NOTHING))
    aside = entry.name.lower() in ASIDE and entry.is_folder
    count = sum(leaf.is_notebook for leaf in leaves(entry))
    sentence = not_graded(entry.name, count) if aside else f"it belongs to nobody: {claim.why}."
    return row(entry, [entry], "", "", refuse(sentence, NotGraded))


def not_graded(folder: str, count: int) -> str:
    """Why the notebooks of a folder are not graded."""
    return (
        f"{number_of(count, 'notebook')} in it {'was' if count == 1 else 'were'} not graded: {ASIDE[folder.lower()]}."
    )


def of_student(student: str, entries: list[Entry]) -> Iterator[HandedIn]:
    """The rows of one student: notebooks, files that should be notebooks, and what is left out."""
    groups: dict[tuple[Entry, str], list[Entry]] = {}  # notebooks in different folders do not compete
    aside: Counter[Entry] = Counter()
    others: list[Entry] = []
    for owner in entries:
        for leaf in leaves(owner):
            if folder := folder_aside(leaf, owner):
                aside[folder] += leaf.is_notebook
            elif leaf.is_notebook or leaf.kind == "unsafe":
                groups.setdefault((owner, exercise_of(leaf, owner)), []).append(leaf)
            else:
                others.append(leaf)
    depth = len(entries[0].parent.steps) + 1 if entries[0].parent else 0
    ordered = list(groups.items())
    if len(ordered) > MOST_JUDGED:  # the exercises come first
        ordered.sort(key=lambda item: not chapter_named(item[0][1]))
    for (_, name), group in ordered[:MOST_JUDGED]:
        yield from one_each(group, entries, depth, student, name)
    if left := [leaf for _, group in ordered[MOST_JUDGED:] for leaf in group]:
        names = listed("/".join(leaf.steps[depth:]) or leaf.name for leaf in left)
        what = number_of(len(left), "notebook")
        sentence = f"more than {MOST_JUDGED} notebooks of one student; {what} not graded: {names}."
        yield row(left[0], entries, student, "", refuse(sentence, NotGraded))
    missing = [
        folder
        for owner in entries
        for folder in owner.folders
        if chapter_named(folder.name) and not holds_notebook(folder)
    ]
    for folder in missing:
        inside = [leaf for leaf in others if folder in ancestors(leaf)]
        others = [leaf for leaf in others if leaf not in inside]
        yield instead(folder, entries, inside, student)
    for folder, count in aside.items():
        if count:
            sentence = not_graded(folder.name, count)
            yield row(folder, entries, student, assignment_of(folder), refuse(sentence, NotGraded))
    if not groups and not missing and not sum(aside.values()):
        yield instead(entries[0], entries, others, student)
    elif others := [leaf for leaf in others if is_work(leaf)]:
        names = listed("/".join(leaf.steps[depth:]) or leaf.name for leaf in others)
        they = "it is no notebook (.ipynb)." if len(others) == 1 else f"they are not notebooks (.ipynb): {names}."
        sentence = f"not graded, because {they}"
        yield row(others[0], entries, student, "", refuse(sentence, NotGraded))


def holds_notebook(folder: Entry) -> bool:
    """True if there is a notebook, or a possible one, anywhere in a folder."""
    return any(leaf.is_notebook or leaf.kind == "unsafe" for leaf in leaves(folder))


def is_work(leaf: Entry) -> bool:
    """True for a file that may be meant as an answer, False for files from the course or from tools."""
    return not is_furniture(leaf) and not any(ancestor.is_clone for ancestor in ancestors(leaf))


def folder_aside(leaf: Entry, owner: Entry) -> Entry | None:
    """The folder that excludes a notebook from grading, or None."""
    inside = [
        ancestor
        for ancestor in ancestors(leaf)
        if len(ancestor.steps) > len(owner.steps) and ancestor.name.lower() in ASIDE
    ]
    return inside[-1] if inside else None


def assignment_of(entry: Entry) -> str:
    """The exercise that the folders name, the outermost of them first."""
    folders = [entry, *ancestors(entry)] if entry.is_folder else list(ancestors(entry))
    return next((folder.text for folder in reversed(folders) if chapter_named(folder.text)), "")


def exercise_of(leaf: Entry, owner: Entry) -> str:
    """A key shared by notebooks of which only one can count: the exercise, if the places say it."""
    if leaf is owner:  # a file in a flat folder: each was handed in separately
        return leaf.place
    return assignment_of(leaf) or (leaf.text if chapter_named(leaf.text) else leaf.place)


def one_each(group: list[Entry], owners: list[Entry], depth: int, student: str, name: str) -> Iterator[HandedIn]:
    """From several notebooks for one assignment, the outermost one with the exercise's own name.

    In a clone of the course, that is the one in the copy that `minigrad lab` opens.
    """
    fresh = [item for item in group if not any(map(COPIES.fullmatch, item.steps[depth:-1]))] or group
    fresh = [item for item in fresh if str(COPY) in item.steps[depth:-1]] or fresh
    own = [item for item in fresh if item.text == name]
    least = min(len(item.steps) for item in own or fresh)
    best = [item for item in own or fresh if len(item.steps) == least]
    if len(best) > 1 and not all_alike(best):
        which = ", or give that name to the one that counts" if not own else ""
        why = f"they differ, and {'several are' if own else 'none is'} called {name}.ipynb"
        names = listed("/".join(item.steps[depth:]) for item in best)
        sentence = f"none of {len(best)} notebooks was judged, because {why}: {names}. Delete all but one{which}."
        yield row(group[0], owners, student, assignment_of(group[0]), refuse(sentence))
        return
    yield row(best[0], owners, student, assignment_of(best[0]), best[0].read)
    if left := [item for item in group if item is not best[0]]:
        names = listed("/".join(item.steps[depth:]) for item in left)
        sentence = f"not graded: {names}. {'/'.join(best[0].steps[depth:])} counts, for its name and place."
        yield row(left[0], owners, student, assignment_of(left[0]), refuse(sentence, NotGraded))


def all_alike(entries: list[Entry]) -> bool:
    """True if notebooks hold the same code, so that it does not matter which one is judged."""
    try:
        return len(entries) <= MOST_JUDGED and len({code_of(entry) for entry in entries}) == 1
    except Unreadable:
        return False


def code_of(entry: Entry) -> bytes:
    """A digest of the judged part of a notebook (its code and exercise), or else of all its bytes."""
    content = entry.read()
    try:
        notebook = loaded(content)
        cells = [(cell.get("id"), cell["source"]) for cell in code_cells(notebook)]
        content = json.dumps([notebook.get("metadata", {}).get("minigrad"), cells]).encode()
    except Unreadable:
        pass
    return hashlib.sha256(content).digest()


def instead(entry: Entry, owners: list[Entry], files: list[Entry], student: str) -> HandedIn:
    """A row for a folder without a notebook, saying what is there instead."""
    assignment = assignment_of(entry)
    files = [file for file in files if not is_furniture(file)] or files
    if files:
        return row(files[0], owners, student, assignment, functools.partial(no_notebook, files[0], files[1:]))
    inside = f"{entry.name}.ipynb" if chapter_named(entry.name) else ""
    return row(entry, owners, student, assignment, refuse(NOTHING), inside)


def no_notebook(file: Entry, more: list[Entry]) -> bytes:
    """Explain what kind of file was handed in instead of a notebook."""
    content = file.read()
    beside = f" Next to it: {listed(item.name for item in more)}." if more else ""
    if content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") and b'"nbformat"' in content:
        what = "this is a notebook under another name; rename it so that it ends in .ipynb, and grade it again."
    else:
        what = f"this is {kind_of(file.name, content)}, not a notebook; the .ipynb file itself is needed."
    raise Unreadable(what + beside)
