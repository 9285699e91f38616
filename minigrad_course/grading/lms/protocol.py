"""What a system that work comes from has to say: one module each, behind one Protocol."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from pathlib import Path
from typing import ClassVar, NoReturn, Protocol

from minigrad_course.grading.lms.entry import Entry
from minigrad_course.grading.lms.sheets import BadSheet, Filled, Sheet
from minigrad_course.grading.people.names import Said, When
from minigrad_course.grading.people.people import Person
from minigrad_course.grading.records.standings import Standing


class System(Protocol):
    """A learning management system, or another one that collects work.

    A module's class inherits from it and writes what its system has; the rest stays as it is here. `name` is what
    sentences call it. Every docstring names what a format was taken from.
    """

    name: str
    # what stands in every FOLDER/NAME that it makes: no other name is asked about; None if it makes none
    mark: re.Pattern[str] | None = None
    # True if the ids in its names are a person's for good and stand in class lists; not those of one assignment
    lasting: bool = False
    # True if its ids are numbers of one assignment, and its class lists have them as `participant`
    numbered: bool = False
    # True if it may put a group in front of a name, with a hyphen
    grouped: bool = False
    # True if it writes names without blanks, so that those of two people may look alike
    squeezed: bool = False
    # the file in a download that says whose each submission is; "" where names say it
    owners_file: str = ""
    # what its lists call columns that roster.COLUMNS knows by other names
    headings: ClassVar[Mapping[str, Sequence[str]]] = {}
    # what has to be downloaded before it can be filled; "" if nothing has to
    sheet: str = ""
    # True if it takes a file of results for each submission, and needs no sheet
    takes_results: bool = False
    # True if it takes a zip with the students' pages
    takes_pages: bool = False

    @property
    def word(self) -> str:
        """The name for `minigrad marks`."""
        return self.name.lower().replace(" ", "_")

    # --- the work --------------------------------------------------------------------------------

    def said(self, entry: Entry) -> Said | None:
        """What a name with its `mark` says about its owner; None if this system did not make it.

        The name is a stranger's in part: take what the system put there, wherever that is.
        """
        return None

    def owners(self, entry: Entry) -> list[Said]:
        """Everybody who handed in what this system named."""
        return [entry.said]

    def used(self, top: Entry) -> bool:
        """True if `owners_file` is in a folder, and says whose what lies there is."""
        return False

    def is_ambiguous(self, text: str) -> bool:
        """True for a name in which its `mark` is more than once, so that somebody else must have added one."""
        return False

    def is_download(self, text: str) -> bool:
        """True for a name that only the system gives to a whole download, so that nobody need be told what is in it."""
        return False

    def work_among(self, names: Set[str]) -> str:
        """Which of the folders in one holds the work, where all of them are the system's; "" where they are not."""
        return ""

    def absent(self, top: Entry) -> list[str]:
        """The names of what should be in a folder by the system's own list, and is not."""
        return []

    def is_its_own(self, entry: Entry) -> bool:
        """True for a file that the system added: nobody handed it in."""
        return False

    def when(self, entry: Entry, owner: Entry, leaf: Entry) -> When | None:
        """When `leaf` was handed in, by `entry`: the `owner` or a folder around it. None if this system does not say.

        Asked about names that the system made, and about each owner that is a folder: files in it may say it. Whatever
        else lies in `owner` is the student's, and so never says when.
        """
        return entry.said.when if entry.said.system == self.name else None

    # --- people ----------------------------------------------------------------------------------

    def spelled(self, name: str) -> str:
        """A person's name as the system writes it in names of files."""
        return name

    def columns(self, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> dict[str, int]:
        """Where the columns of its class list are, by what they hold, if only their contents tell."""
        return {}

    def cells(self, cells: dict[str, str]) -> dict[str, str] | None:
        """A row of a class list, by what its columns hold, without signs that the system adds; None if nobody's."""
        return cells

    def listed(self, person: Person, place: str) -> When | None:
        """When a person handed in what is at a place, by the class list; None if that does not say."""
        return None

    def numbers(self, place: str) -> list[str]:
        """The ids of one assignment in the names that lead to a place."""
        return []

    # --- marks -----------------------------------------------------------------------------------

    def fill(self, found: Sheet, standings: Sequence[Standing], exercise: str, column: str) -> Filled:
        """Its sheet, as it was downloaded, with marks. BadSheet if it cannot be filled, or it takes none."""
        self.refuse()

    def results(self, standings: Sequence[Standing], exercise: str) -> dict[str, str]:
        """The files with marks of a system that needs no sheet, by name."""
        self.refuse()

    def refuse(self) -> NoReturn:
        """BadSheet, because the system documents nothing that takes marks."""
        raise BadSheet(f"{self.name} documents no file that takes marks: enter them there by hand, from grades.csv.")

    def pages(self, filled: Filled, standings: Sequence[Standing], exercise: str) -> dict[str, Path]:
        """The students' pages by the names in the zip that it takes; none where it takes no such zip."""
        return {}
