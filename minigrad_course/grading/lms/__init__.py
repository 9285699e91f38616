"""The systems that work comes from, and what they say together: whose it is, when it came, where marks go.

`protocol` says what a system is; whoever adds one writes a module and names it here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from typing import Literal

from minigrad_course.grading.lms.blackboard import Blackboard
from minigrad_course.grading.lms.brightspace import Brightspace
from minigrad_course.grading.lms.canvas import Canvas
from minigrad_course.grading.lms.entry import Entry
from minigrad_course.grading.lms.github_classroom import GitHubClassroom
from minigrad_course.grading.lms.gradescope import Gradescope
from minigrad_course.grading.lms.ilias import Ilias
from minigrad_course.grading.lms.moodle import Moodle
from minigrad_course.grading.lms.nbgrader import Nbgrader
from minigrad_course.grading.lms.protocol import System
from minigrad_course.grading.people.names import OWN, ZIPPED, Said, When, exercises
from minigrad_course.grading.people.people import Person

# whoever is asked first has the name: Canvas's is the least its own
SYSTEMS: list[System] = [
    Moodle(),
    Gradescope(),
    GitHubClassroom(),
    Brightspace(),
    Blackboard(),
    Ilias(),
    Canvas(),
    Nbgrader(),
]


def named(name: str) -> System | None:
    """The system of this name."""
    return next((system for system in SYSTEMS if system.name == name), None)


def makers(place: str) -> Iterator[System]:
    """The systems that may have made a name, which may have its folder's in front: those whose mark is in it."""
    return (system for system in SYSTEMS if system.mark and system.mark.search(place))


def said(entry: Entry) -> Said | None:
    """What a name says if a system made it, None if none did."""
    place = f"{entry.parent.text if entry.parent else ''}/{entry.text}"
    return next((result for system in makers(place) if (result := system.said(entry))), None)


def owners(entry: Entry) -> list[Said]:
    """Everybody who handed something in, by its name or by what its system says of it."""
    system = named(entry.said.system)
    return system.owners(entry) if system else [entry.said]


def key(said: Said) -> str:
    """The id with its system, where that gives a person one for good; else ""."""
    system = named(said.system)
    return f"{said.system} {said.id}" if said.id and system and system.lasting else ""


def is_its_own(entry: Entry) -> bool:
    """True for a file that a system added."""
    return any(system.is_its_own(entry) for system in SYSTEMS)


def has(said: Said, habit: Literal["numbered", "grouped", "squeezed"]) -> bool:
    """True if a system made a name that has this habit: `numbered`, `grouped` or `squeezed` in its module."""
    system = named(said.system)
    return bool(system and getattr(system, habit))


def owners_file(said: Said) -> str:
    """The file that says whose something is whose name a system made; "" where the name itself says it."""
    system = named(said.system)
    return system.owners_file if system else ""


def files_used(top: Entry) -> set[str]:
    """The files in a folder from which systems say whose the rest is."""
    return {system.owners_file for system in SYSTEMS if system.used(top)}


def ambiguous(text: str) -> System | None:
    """The system whose mark a name has more than once."""
    return next((system for system in makers(text) if system.is_ambiguous(text)), None)


def work_among(names: Set[str]) -> str:
    """Which of the folders in one holds the work, where all of them are a system's; "" where they are nobody's."""
    return next((result for system in SYSTEMS if (result := system.work_among(names))), "")


def numbers(place: str) -> set[str]:
    """The ids of one assignment in the names that lead to a place, each with its system."""
    return {f"{system.name} {number}" for system in SYSTEMS for number in system.numbers(place)}


# --- when ----------------------------------------------------------------------------------------


def when_of(leaf: Entry, owner: Entry) -> When:
    """When something was handed in: what a system says, from the outermost folder to the owner's; then the file's time.

    What lies in the owner's folder or zip is the student's: nothing in it is asked, nor is the time of a file in a zip
    that the student made. A name is only believed among others of that system, for anybody can call a file so.
    """
    for entry in (*reversed(owner.around), owner):
        for system in SYSTEMS:
            named_it = entry.said.system == system.name
            asked = is_download(entry, system) if named_it else entry is owner and owner.kind == "folder"
            if asked and (result := system.when(entry, owner, leaf)):
                return result
    inside = [leaf, *leaf.around]
    made = [item for item in inside if item.kind == "zip" and (item is owner or owner in item.around)]
    at = (made[-1] if made else leaf).modified()
    return When(at, source=ZIPPED if at and not at.tzinfo else OWN)


def listed(person: Person | None, place: str) -> When | None:
    """When a person handed in what is at a place, by what a class list says."""
    return next((result for system in SYSTEMS if person and (result := system.listed(person, place))), None)


def is_download(entry: Entry, system: System) -> bool:
    """True if most of the people beside an entry have names that a system made, as where it was downloaded."""
    cache = entry.parent.looked_into if entry.parent else {}
    if system.name not in cache:
        beside = [item.said for item in entry.beside if item.is_folder or item.is_notebook or item.said.system]
        people = {(item.system, item.id or item.known) for item in beside}
        cache[system.name] = 2 * sum(name == system.name for name, _ in people) > len(people)
    result: bool = cache[system.name]
    return result


# --- without a system ----------------------------------------------------------------------------


def said_by_file(text: str) -> Said:
    """What the name of a file says that no system made, without its ending."""
    names = "|".join(map(re.escape, exercises()))
    # people put the student in front, and a number behind what was handed in again
    match = re.fullmatch(rf"(.+?)[ _.-]+(?:{names})(?:[ _-]?\(?\d+\)?)?", text, re.DOTALL)
    return Said(match[1] if match else text)
