"""ILIAS: `Abgaben/Okafor_Mira_mokafor_4711/`."""

from __future__ import annotations

import re
import unicodedata
from typing import ClassVar

from minigrad_course.grading.lms.entry import Entry
from minigrad_course.grading.lms.protocol import System
from minigrad_course.grading.people.names import Said, When, impersonal

NAME = re.compile(r"([^_]+)_([^_]+)_(.+)_(\d+)", re.DOTALL)
LATE = re.compile(r"(late submission|versp(?:ä|ae)tete abgabe)\s*-", re.IGNORECASE)
BUILT = "built like ILIAS's"
SPELLED = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ß": "ss"})


class Ilias(System):
    """ILIAS.

    From its exercise, `ilExSubmission::downloadAllAssignmentFiles`: a folder for each person, in ASCII, called
    LASTNAME_FIRSTNAME_LOGIN_ID, in one for each team; a late file has «Late Submission - » in front, in the language of
    the site. We found no page that says which file brings marks in, so none is written.
    """

    name = "ILIAS"
    mark = re.compile(r"_\d+\Z")
    lasting = True
    headings: ClassVar = {"login": ("anmeldename", "benutzername", "benutzerkennung")}

    def said(self, entry: Entry) -> Said | None:
        """The name and the login of a folder, if all beside it are built like it, and no login is there twice."""
        result = NAME.fullmatch(entry.text) if entry.kind == "folder" and entry.parent else None
        if not result or not entry.parent:
            return None
        if BUILT not in entry.parent.looked_into:
            beside = [NAME.fullmatch(folder.text) for folder in entry.parent.folders]
            logins = [item[3] for item in beside if item and not impersonal(item[3]) and not is_number(item)]
            entry.parent.looked_into[BUILT] = len(set(logins)) == len(beside)
        return Said(f"{result[2]} {result[1]}", result[3], self.name) if entry.parent.looked_into[BUILT] else None

    def when(self, entry: Entry, owner: Entry, leaf: Entry) -> When | None:
        """Only whether it was late: its time in the zip is that of the download in some versions."""
        if entry.said.system != self.name:
            return None
        file = leaf
        while file.parent and file.parent is not entry:
            file = file.parent
        return When(late=LATE.match(file.name) is not None, source="ILIAS's mark in the name")

    def spelled(self, name: str) -> str:
        """A name without accents: ö as oe, é as e."""
        plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFC", name).translate(SPELLED))
        return "".join(item for item in plain if item.isascii())


def is_number(found: re.Match[str]) -> bool:
    """True if a last or a first name is a number, so that it is none."""
    return found[1].isdecimal() or found[2].isdecimal()
