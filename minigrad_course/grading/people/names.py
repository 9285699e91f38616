"""What is said about work that was handed in: whose it is, by names, whoever made them, and since when it is there."""

from __future__ import annotations

import dataclasses
import functools
import re
import unicodedata
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from minigrad_course.texts import source

SUBMISSIONS = "-submissions"  # ends the folder that GitHub Classroom makes for an assignment
# names that no person has, alone or with each other and numbers: week1, hw 2, assignment_123_export
WORDS = """
    week wk hw homework assignment assignments ex exercise exercises unit units lab labs sheet chapter day session
    module part task problem problems question q set project projects practical quiz exam midterm semester term attempt
    submission submissions submitted export exports exported download downloads all course students upload uploads
    files attachments notebooks notebook data src source images img figures docs notes draft drafts old new backup
    backups copy copies archive archives final tmp temp test tests solution solutions answer answers late out inbox
    moodle canvas gradescope nbgrader brightspace blackboard ilias mine my untitled scratch try work works zip group
    groups section sections team teams tutorial tutorials class classes cohort seminar lessons misc other others
    previous version round release
    autograded feedback abgabe abgaben woche blatt uebung übung
"""
GROUPS = "group groups section sections team teams class cohort seminar"
MOST_NAMED = 5  # in a sentence
STROKES = str.maketrans("øłđ", "old")  # letters that Unicode does not take apart
PIECES = re.compile(r"[^\W\d_]+|\d+")  # words and numbers, however they are put together


@dataclasses.dataclass(frozen=True)
class When:
    """When something was handed in.

    `at` is the time, None where it is not known; without a zone it is the course's. `late` is a system's own mark, None
    where it has none. `source` says who says so.
    """

    at: datetime | None = None
    late: bool | None = None
    source: str = ""

    @classmethod
    def of(cls, data: dict[str, Any]) -> When:
        """The time that `data` gave."""
        at = data.get("at")
        return cls(datetime.fromisoformat(at) if at else None, data.get("late"), data.get("source", ""))

    def data(self) -> dict[str, Any]:
        """The time as plain data."""
        return {"at": self.at.isoformat() if self.at else None, "late": self.late, "source": self.source}

    @property
    def what(self) -> str:
        """The time in a few words, or what is known instead of it."""
        if self.at:
            return shown(self.at)
        return "time not known" if self.late is None else "late" if self.late else "not late"

    @property
    def who(self) -> str:
        """Who says so."""
        return self.source or "nobody"

    @property
    def sentence(self) -> str:
        """The time and who says so."""
        if self.at:
            return f"Handed in {self.what}, by {self.source}."
        if self.late is None:
            return (
                f"{self.source} has no time that can be read." if self.source else "Nothing says when it was handed in."
            )
        return f"{'Handed' if self.late else 'Not handed'} in late, by {self.source}, which has no time."


UNKNOWN = When()
OWN, ZIPPED = "the file's own time", "the time in the zip"  # what is left where no system says anything


@dataclasses.dataclass(frozen=True)
class Said:
    """What a name says about its owner. `system` is the system that made it, if any; `id` is the one it added.

    `group` is what Moodle put in front of the name, where that is a group's. `when` is when it was handed in, where
    the name has that, too.
    """

    name: str
    id: str = ""
    system: str = ""
    group: str = ""
    when: When | None = None

    @property
    def known(self) -> str:
        """The name however its accents are written."""
        return unicodedata.normalize("NFC", self.name)


@functools.cache
def nobodys() -> frozenset[str]:
    """The words that make no person's name."""
    return frozenset(WORDS.split())


@functools.cache
def exercises() -> tuple[str, ...]:
    """The names of the exercises."""
    return tuple(source.names("exercises"))


@functools.lru_cache(maxsize=100_000)
def impersonal(name: str) -> bool:
    """True for names of exercises, and for those that many a folder has and no person."""
    if not name or name.endswith(SUBMISSIONS):
        return True
    pieces = PIECES.findall(unicodedata.normalize("NFC", name).casefold())
    if pieces in [PIECES.findall(exercise) for exercise in exercises()]:
        return True
    words = [piece for piece in pieces if not piece.isdecimal()]
    return any(word in nobodys() for word in words) and all(word in nobodys() or len(word) == 1 for word in words)


def is_groups(name: str) -> bool:
    """True for group1, section-A: the name of some students together."""
    pieces = PIECES.findall(name.casefold())
    return (
        len(pieces) > 1
        and pieces[0] in GROUPS.split()
        and all(piece.isdecimal() or len(piece) == 1 for piece in pieces[1:])
    )


def folded(text: str) -> str:
    """A name for comparison: ignores case, spaces, punctuation, and the way accents are written."""
    text = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    return re.sub(r"[\W_]+", " ", text).strip()


def plain(name: str) -> str:
    """A name as it looks: without blanks around it and what cannot be seen in it."""
    return " ".join("".join(item for item in name if unicodedata.category(item) != "Cf").split())


def squeezed(text: str) -> str:
    """A name as Canvas writes it in front of a file's: without anything but letters and digits."""
    return folded(text).replace(" ", "")


def readable(name: str) -> str:
    """A name as text that can be stored: bytes that are not UTF-8 are spelled out."""
    return name.encode("utf-8", "backslashreplace").decode("utf-8")


def unmistakable(name: str) -> str:
    """A name or path from the disk as `readable` text; no two become the same. To be done once."""
    # backslashes before what is, or looks like, something spelled out: an even count is the name's own
    return readable(re.sub(r"\\+(?=ud[89a-f]|[\ud800-\udfff])", lambda found: found[0] * 2, name))


def listed(names: Iterable[str], most: int = MOST_NAMED) -> str:
    """Some of the names, and how many more there are."""
    results = list(dict.fromkeys(names))
    more = f" and {len(results) - most} more" if len(results) > most else ""
    return ", ".join(results[:most]) + more


def person(name: str) -> str:
    """A student's name as people write it, where a folder's name has it in small letters: `ada_king` is Ada King."""
    return name.replace("_", " ").title() if re.fullmatch(r"[a-z]+(_[a-z]+)+", name) else name


def by_name(name: str) -> tuple[list[str | int], str]:
    """A key that sorts names as a page does: small and capital letters alike, accents aside, numbers as numbers."""
    letters = unicodedata.normalize("NFKD", name.replace("_", " ").casefold().translate(STROKES))
    plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
    pieces = re.split(r"(\d{1,9})", plain)  # a text and a number in turn
    return [int(item) if at % 2 else item for at, item in enumerate(pieces)], name


def shown(at: datetime) -> str:
    """A time as people read it."""
    return f"{at:%Y-%m-%d %H:%M}{f' {at:%Z}' if at.tzinfo else ''}"


def number_of(count: int, noun: str) -> str:
    """A count with its noun, such as "2 students"."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


# --- sentences about owners ----------------------------------------------------------------------


COULD_BE = " could be "


def unclear(who: str, students: list[str]) -> str:
    """Why something is nobody's that one of these students may have handed in."""
    return f"{who}{COULD_BE}{' or '.join(students)}"


def possible(why: str) -> list[str]:
    """The students who may have handed it in, parsed from the sentence that says why it is nobody's."""
    _, result, students = why.rpartition(COULD_BE)
    return students.removesuffix(".").split(" or ") if result else []


STUDENTS_IN_IT = "{}: the students are those named in {}, {}{}. If that is wrong, say who they are with --roster."
LAYOUT = re.compile(r"[^:]*: the students are those named in (?:it|them), (?!.*, where equal names mean)", re.DOTALL)


def is_about_layout(remark: str) -> bool:
    """True for a remark that only says which folder holds the students: whose each file is, is clear then."""
    return LAYOUT.match(remark) is not None
