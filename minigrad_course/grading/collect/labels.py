"""The people behind names: which names belong to one person, and which to two.

Anything uncertain is reported in a remark.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping

from minigrad_course.grading import lms as systems
from minigrad_course.grading.collect.entries import Entry, placed
from minigrad_course.grading.collect.trees import refuse
from minigrad_course.grading.people.names import Said, is_groups, listed, plain

SETTLE = "settle it with --roster."
LACKS = "{} names it, but it is not in the export; export it again."


@dataclasses.dataclass(frozen=True)
class Claim:
    """The owner of an entry and everything in it; nobody if `student` is empty, and then `why` says why.

    `key` is the id of the student, where a system gave one for good.
    """

    entry: Entry
    student: str
    why: str = ""
    key: str = ""


@dataclasses.dataclass(frozen=True)
class Remark:
    """A sentence that a person should read, and what it is about."""

    text: str
    about: tuple[Entry, ...]


def each_of(entries: list[Entry]) -> str:
    """A word for a sentence on several."""
    return " each" if len(entries) > 1 else ""


def labelled(people: list[Entry], known: Mapping[str, str]) -> tuple[list[Claim], list[Remark]]:
    """The owners with their displayed names. People with the same name are told apart if possible.

    `known` are the students whose ids were seen before: an id says more than a name.
    """
    heard = [(entry, said) for entry in people for said in systems.owners(entry)]
    marks, shown = twins(heard), told_from(heard)
    found: dict[str, list[tuple[Entry, Said]]] = {}
    told: dict[str, list[str]] = {name: [] for name in marks}
    taken = {(key.partition(" ")[0], student) for key, student in known.items()}  # the ids of two systems may differ
    renamed: dict[Entry, str] = {}
    others: dict[Entry, str] = {}
    for entry, said in heard:
        mark = marks.get(said.known, {}).get(entry, "")
        student = f"{shown[said.known]} ({mark})" if mark else shown[said.known]
        key = systems.key(said)
        if key in known and known[key] != student:
            renamed[entry] = student = known[key]
        elif key not in known and (said.system, student) in taken:
            others[entry] = student = f"{student} ({said.id})"
        told.get(said.known, []).append(student)
        found.setdefault(student, []).append((entry, said))
    remarks = [
        Remark(f"{name}: several people with this name, told apart as {listed(students)}; {SETTLE}", tuple(marks[name]))
        for name, students in told.items()
    ]
    alike = [(entry, said) for entry, said in heard if shown[said.known] != (said.known.strip() or said.known)]
    if alike:
        names, about = listed(shown[said.known] for _, said in alike), tuple(entry for entry, _ in alike)
        text = f"{placed(about)}: taken as separate students, though the names look alike: {names}; {SETTLE}"
        remarks.append(Remark(text, about))
    for student, group in found.items():
        about = tuple(entry for entry, _ in group)
        if is_join(group):
            remarks.append(Remark(f"{placed(about)}: taken as the work of one student, {student}; {SETTLE}", about))
    alone = {entry: file for entry, said in heard if said is entry.said and (file := systems.owners_file(said))}
    if alone:
        files, each = listed(alone.values()), each_of([*alone])
        text = f"{placed(alone)}: {files} names no owner, so taken as one student's{each}, by number; {SETTLE}"
        remarks.append(Remark(text, tuple(alone)))
    remarks += about_groups(heard)
    for by_id, why in (
        (renamed, "the id belongs to"),
        (others, "the name was graded before with another id, so this is"),
    ):
        if by_id:
            remarks.append(Remark(f"{placed(by_id)}: {why} {listed(by_id.values())}; {SETTLE}", tuple(by_id)))
    shared = [entry for entry in people if len(systems.owners(entry)) > 1]
    if shared:
        remarks.append(
            Remark(f"{placed(shared)}: handed in by several people together; each of them has a row.", tuple(shared))
        )
    claims = [Claim(entry, student, key=systems.key(said)) for student, group in found.items() for entry, said in group]
    return claims, remarks


def about_groups(heard: list[tuple[Entry, Said]]) -> list[Remark]:
    """Which prefixes were taken as a system's groups, and which were not but may be."""
    cut = [(entry, said) for entry, said in heard if said.group]
    some = [(entry, said) for entry, said in heard if systems.has(said, "grouped") and "-" in said.known]
    fronts = Counter(said.known.partition("-")[0] for _, said in some)
    others = [(entry, said) for entry, said in some if fronts[said.known.partition("-")[0]] > 1]
    remarks = []
    for found, what in ((cut, "a group's, and not part of"), (others, "part of, and not a group in front of")):
        if found:
            names = listed(said.known for _, said in found)
            text = (
                f"{placed(entry for entry, _ in found)}: the beginning is taken as {what} the name: {names}; {SETTLE}"
            )
            remarks.append(Remark(text, tuple(entry for entry, _ in found)))
    return remarks


def absent(people: list[Entry]) -> list[Entry]:
    """Work that a system's own list has but that is missing: its submitters get a row that says so."""
    tops = {each.parent: system for each in people if each.parent and (system := systems.named(each.said.system))}
    return [
        Entry(name, top, "missing", refuse(LACKS.format(system.owners_file)))
        for top, system in tops.items()
        for name in system.absent(top)
    ]


def told_from(heard: list[tuple[Entry, Said]]) -> dict[str, str]:
    """What each name is shown as: without blanks around it, but not as another that looks like it."""
    looks: dict[str, list[str]] = {}
    for name in dict.fromkeys(said.known for _, said in heard):
        looks.setdefault(plain(name) or name, []).append(name)
    return {
        each: f"{look} ({each!r})" if len(names) > 1 and each != look else each.strip() or each
        for look, names in looks.items()
        for each in names
    }


def twins(heard: list[tuple[Entry, Said]]) -> dict[str, dict[Entry, str]]:
    """Names shared by several people, and what distinguishes their entries: an id, or a group."""
    ids: dict[tuple[str, Entry | None], set[str]] = {}
    groups: dict[str, set[str]] = {}
    for entry, said in heard:
        root = entry.root if entry.root.is_folder else None
        ids.setdefault((said.known, root), set()).add(said.id)
        groups.setdefault(said.known, set()).add(group_of(entry))
    by_id = {name for (name, _), found in ids.items() if len(found - {""}) > 1}
    by_group = {name for name, found in groups.items() if len(found) > 1} - by_id
    marks: dict[str, dict[Entry, str]] = {}
    for entry, said in heard:
        if said.known in by_id or said.known in by_group:
            marks.setdefault(said.known, {})[entry] = said.id if said.known in by_id else group_of(entry)
    return marks


def group_of(entry: Entry) -> str:
    """The group or section around an entry, if there is one."""
    above = entry.parent
    while above and not is_groups(above.text):
        above = above.parent
    return above.text if above else ""


def is_join(group: list[tuple[Entry, Said]]) -> bool:
    """True if what one student is said to own has names that could be two people's."""
    if len({said.name for _, said in group}) > 1:
        return True
    if len({said.id for _, said in group if systems.has(said, "squeezed")}) > 1:
        return True
    if len(group) > 1 and any(entry.parent is None for entry, _ in group):
        return True
    beside: dict[Entry | None, list[tuple[Entry, Said]]] = {}
    for entry, said in group:
        beside.setdefault(entry.parent, []).append((entry, said))
    return any(map(is_doubled, beside.values()))


def is_doubled(group: list[tuple[Entry, Said]]) -> bool:
    """True if one student has several entries side by side that nothing holds together."""
    sources = {(said.system, said.id) for _, said in group}
    by_id = all(said.id for _, said in group)
    return len(sources) > 1 or (len(group) > 1 and not by_id and any(entry.kind != "file" for entry, _ in group))
