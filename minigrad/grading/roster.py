"""The people of a class, as a learning management system or a person lists them, and what names say about people.

A name that could be two people's is nobody's.
"""

from __future__ import annotations

import csv
import dataclasses
import functools
import io
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from minigrad.course import source
from minigrad.grading.given import content_of

LARGEST = 20_000_000  # bytes
# what a column may be called, by what it holds; compared without case and punctuation
COLUMNS = {
    "id": ("id", "id number", "student id", "student number", "sid", "matriculation number", "matrikelnummer"),
    "name": ("name", "full name", "student name", "student", "display name"),
    "first": ("first name", "firstname", "given name", "vorname"),
    "last": ("last name", "lastname", "surname", "family name", "nachname"),
    "email": ("email", "email address", "e mail", "e mail address", "mail"),
    "login": ("sis login id", "login id", "login", "username", "user name", "github username", "github"),
    "sis": ("sis user id",),
    "participant": ("identifier", "participant"),
    "handed_in": ("last modified submission",),
}
SEPARATORS = ",;\t"
NOT_PEOPLE = ("points possible", "student test")  # rows of Canvas's gradebook

# what systems make of a student's name, for a folder or in front of a file's name
MOODLE = re.compile(r"(.+)_(\d+)_assignsubmission_(?:file|onlinetext)_?", re.DOTALL)  # the end is the system's
MOODLE_FLAT = re.compile(r"(.+?)_(\d+)_assignsubmission_(?:file|onlinetext)(?:_.*)?", re.DOTALL)
MOODLE_MARK = re.compile(r"_\d+_assignsubmission_(?:file|onlinetext)(?=_|\Z)")
CANVAS = re.compile(r"([^_]+)(?:_late)?_(\d+)_\d+_.+", re.DOTALL | re.IGNORECASE)
GRADESCOPE = re.compile(r"submission_\d+")
SUBMISSIONS = "-submissions"  # ends the folder that GitHub Classroom makes for an assignment
# names that no person has, alone or with each other and numbers: week1, hw 2, assignment_123_export
WORDS = """
    week wk hw homework assignment assignments ex exercise exercises unit units lab labs sheet chapter day session
    module part task problem problems question q set project projects practical quiz exam midterm semester term attempt
    submission submissions submitted export exports exported download downloads all course students upload uploads
    files attachments notebooks notebook data src source images img figures docs notes draft drafts old new backup
    backups copy copies archive archives final tmp temp test tests solution solutions answer answers late out inbox
    moodle canvas gradescope nbgrader mine my untitled scratch try work works zip group groups section sections team
    teams tutorial tutorials class classes cohort seminar lessons misc other others previous version round release
    autograded feedback abgabe abgaben woche blatt uebung übung
"""
GROUPS = "group groups section sections team teams class cohort seminar"
PIECES = re.compile(r"[^\W\d_]+|\d+")  # words and numbers, however they are put together


class BadRoster(Exception):
    """The file is not a roster; the message says what is wrong, where, and what to do."""


# --- what names say ------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Said:
    """What a name says about its owner. `system` is the system that made it, if any; `id` is the number it added.

    `group` is what Moodle put in front of the name, where that is a group's.
    """

    name: str
    id: str = ""
    system: str = ""
    group: str = ""

    @property
    def known(self) -> str:
        """The name however its accents are written."""
        return unicodedata.normalize("NFC", self.name)

    @property
    def key(self) -> str:
        """The id with its system, where that gives a person one for good, as Moodle does not; else ""."""
        return f"{self.system} {self.id}" if self.id and self.system in ("Canvas", "Gradescope") else ""

    def names(self, person: Person) -> bool:
        """True if the name, with or without the group, is one of a person's."""
        return not {folded(self.known), folded(f"{self.group}-{self.known}")}.isdisjoint(person.texts())


@functools.cache
def nobodys() -> frozenset[str]:
    """The words that make no person's name."""
    return frozenset(WORDS.split())


@functools.cache
def exercises() -> tuple[str, ...]:
    """The names of the exercises."""
    return tuple(source.names("exercises"))


def is_ambiguous(text: str) -> bool:
    """True if Moodle's suffix occurs more than once in a text, so that somebody else must have added it."""
    return len(MOODLE_MARK.findall(text)) > 1


def said_by_system(text: str, above: str = "", folder: bool = False) -> Said | None:
    """What a name says if a system made it, None if none did; `above` is the folder that it is in.

    In a folder's name, the end is Moodle's and the rest the student's; in a file's, both ends are the student's.
    """
    found = MOODLE.fullmatch(text) if folder else None
    if not found and is_ambiguous(text):
        return Said(text, "", "Moodle")
    if found := found or MOODLE_FLAT.fullmatch(text):
        (group, name), number = without_group(found[1]), found[2]
        blind = name.casefold() == "participant"  # marked without names
        return Said(f"{name} {number}" if blind else name, number, "Moodle", "" if blind else group)
    if GRADESCOPE.fullmatch(text) and above:
        return Said(text, "", "Gradescope")
    prefix = f"{above.removesuffix(SUBMISSIONS)}-"
    if above.endswith(SUBMISSIONS) and text.startswith(prefix) and text != prefix:
        return Said(text.removeprefix(prefix), "", "GitHub Classroom")
    return None


def without_group(text: str) -> tuple[str, str]:
    """The group that Moodle put in front of a name, with a hyphen, and the name; "" where nothing is a group's."""
    cuts = [(text[: found.start()], text[found.end() :]) for found in re.finditer("-", text)]
    cuts = [(group, name) for group, name in cuts if group.strip() and name.strip()]
    blind = [cut for cut in cuts if cut[1].casefold() == "participant"]
    whole = [cut for cut in cuts if impersonal(cut[0]) or cut[0].strip().isdecimal()]
    some = [cut for cut in cuts if set(PIECES.findall(cut[0].casefold())) & set(GROUPS.split())]
    # the name may have a hyphen, too: what is a group's as a whole is so as far as it goes
    return (blind or whole[-1:] or some or [("", text)])[0]


def said_by_file(text: str) -> Said:
    """What the name of a file says, without its ending."""
    if found := CANVAS.fullmatch(text):
        return Said(found[1], found[2], "Canvas")
    names = "|".join(map(re.escape, exercises()))
    # a learning management system puts the student in front, and a number behind what was handed in again
    found = re.fullmatch(rf"(.+?)[ _.-]+(?:{names})(?:[ _-]?\(?\d+\)?)?", text, re.DOTALL)
    return Said(found[1] if found else text)


@functools.lru_cache(maxsize=100_000)
def impersonal(name: str) -> bool:
    """True for names of exercises, and for those that many a folder has and no person."""
    if not name or name.endswith(SUBMISSIONS):
        return True
    pieces = PIECES.findall(unicodedata.normalize("NFC", name).casefold())
    if pieces in [PIECES.findall(each) for each in exercises()]:
        return True
    words = [piece for piece in pieces if not piece.isdecimal()]
    return any(word in nobodys() for word in words) and all(word in nobodys() or len(word) == 1 for word in words)


def is_groups(name: str) -> bool:
    """True for group1, section-A: the name of some students together."""
    pieces = PIECES.findall(name.casefold())
    return (
        len(pieces) > 1
        and pieces[0] in GROUPS.split()
        and all(each.isdecimal() or len(each) == 1 for each in pieces[1:])
    )


# --- people --------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Person:
    """A member of the class. `student` is the text that represents the person everywhere.

    `known_as` are further names: a login, a number of the university. `participant` is the number that Moodle uses in
    the names of one assignment's folders. `last_first` is the name as lists are sorted, where the file says it.
    `handed_in` is when that person handed in that assignment, as Moodle writes it.
    """

    id: str = ""
    name: str = ""
    email: str = ""
    student: str = ""
    known_as: tuple[str, ...] = ()
    participant: str = ""
    last_first: str = ""
    handed_in: str = ""

    def given(self) -> set[str]:
        """The texts that somebody else gave the person, as `folded` has them; Moodle's number apart."""
        return {folded(text) for text in (self.id, self.email, *self.known_as)} - {""}

    def texts(self) -> set[str]:
        """Every text that identifies the person, in `folded` form, except Moodle's number."""
        texts = {self.id, self.email, self.email.partition("@")[0], self.name, self.student, *self.known_as}
        for last, first in self.halves():
            texts |= {f"{last} {first}", f"{first} {last}", squeezed(last + first)}
        return {folded(text) for text in texts} - {""}

    def halves(self) -> list[tuple[str, str]]:
        """The last and the first name; in every way the name can be cut where nobody said it."""
        if self.last_first:
            last, _, first = self.last_first.partition(",")
            return [(last.strip(), first.strip())]
        words = self.name.split()
        return [(" ".join(words[count:]), " ".join(words[:count])) for count in range(1, len(words))]


def folded(text: str) -> str:
    """A name for comparison: ignores case, spaces, punctuation, and the way accents are written."""
    text = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    return re.sub(r"[\W_]+", " ", text).strip()


def plain(name: str) -> str:
    """A name as it looks: without blanks around it and what cannot be seen in it."""
    return " ".join("".join(each for each in name if unicodedata.category(each) != "Cf").split())


def squeezed(text: str) -> str:
    """A name as Canvas writes it in front of a file's: without anything but letters and digits."""
    return folded(text).replace(" ", "")


@dataclasses.dataclass(frozen=True)
class Roster:
    """The people of a class."""

    people: tuple[Person, ...]

    @classmethod
    def of(cls, data: Iterable[dict[str, Any]]) -> Roster:
        """The roster that `data` gave."""
        return cls(tuple(Person(**{**each, "known_as": tuple(each.get("known_as", ()))}) for each in data))

    def data(self) -> list[dict[str, Any]]:
        """The roster as plain data."""
        return [{**dataclasses.asdict(each), "known_as": list(each.known_as)} for each in self.people]

    @functools.cached_property
    def named(self) -> dict[str, list[Person]]:
        """The people each text may refer to."""
        found: dict[str, list[Person]] = {}
        for person in self.people:
            for key in person.texts():
                found.setdefault(key, []).append(person)
        return found

    @functools.cached_property
    def keyed(self) -> dict[str, list[Person]]:
        """The people each id, login and email refers to."""
        found: dict[str, list[Person]] = {}
        for person in self.people:
            for key in person.given():
                found.setdefault(key, []).append(person)
        return found

    @functools.cached_property
    def numbered(self) -> dict[str, list[Person]]:
        """The people each of Moodle's numbers refers to."""
        found: dict[str, list[Person]] = {}
        for person in self.people:
            if person.participant:
                found.setdefault(person.participant, []).append(person)
        return found

    def by_number(self, said: Said) -> list[Person]:
        """Whom the number stands for that a system put beside a name; Moodle's are of one assignment."""
        if said.system == "Moodle":
            return self.numbered.get(said.id, [])
        return self.keyed.get(folded(said.id), []) if said.id else []

    def whose(self, said: Said) -> list[Person]:
        """The people a name may refer to: nobody, one, or several if it is unclear.

        A number and a name that stand for different people are unclear, too: one of them is not the owner's. Nobody
        takes an id, a login or an email from its owner by being called like it.
        """
        by_number = self.by_number(said)
        keys = [folded(said.known)]
        if said.system == "Moodle":  # the whole name before a part of it: in front may be the name of any group
            whole = f"{said.group}-{said.known}" if said.group else said.known
            pieces = whole.split("-")
            keys = [folded("-".join(pieces[count:])) for count in range(len(pieces))]
        key = next((each for each in keys if each in self.named), keys[0])
        by_name = self.named.get(key, [])
        both = [person for person in by_name if person in by_number]
        return list(dict.fromkeys(both or [*(self.keyed.get(key) or by_name), *by_number]))


# --- reading -------------------------------------------------------------------------------------


def read(path: Path) -> Roster:
    """Read a roster from a file. BadRoster if it is not one."""
    content = content_of(path, LARGEST, BadRoster, "a class list")
    text = decoded(content, path)
    if not text.strip():
        raise BadRoster(f"{path} is empty; it needs a line of headings (id, name, email) and a line for each person.")
    headings, columns, rows = table(text, path)
    found = [person for line, row in rows if (person := person_in(line, row, columns, path))]
    if not found:
        raise BadRoster(f"{path} names nobody: there is no person below the headings in line {headings}.")
    demand_different(found, path)
    return Roster(told_apart(found, path))


def decoded(content: bytes, path: Path) -> str:
    """The text of a file in one of the encodings that spreadsheets write."""
    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if content.startswith(mark):
            encodings = [encoding]
            break
    else:
        wide = "utf-16-be" if content[:1] == b"\0" else "utf-16-le"
        encodings = [wide] if b"\0" in content[:200] else ["utf-8", "cp1252"]
    for encoding in encodings:
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise BadRoster(f"{path} is not readable text; save it as CSV in UTF-8.")


def table(text: str, path: Path) -> tuple[int, dict[str, int], list[tuple[int, list[str]]]]:
    """The line of the headings, where each column is, and the rows below with their lines."""
    best: tuple[int, dict[str, int], list[tuple[int, list[str]]]] = (0, {}, [])
    for separator in SEPARATORS:
        try:
            rows = [each for each in numbered_rows(text, separator) if any(cell.strip() for cell in each[1])]
        except csv.Error as error:
            raise BadRoster(f"{path} cannot be read as CSV: {error}; save it again as CSV in UTF-8.") from None
        if rows and re.fullmatch(r"sep=.?", rows[0][1][0].strip()):  # Excel's
            rows = rows[1:]
        if rows and len(found := columns_of(rows[0][1], rows[0][0], path)) > len(best[1]):
            best = rows[0][0], found, rows[1:]
    if not best[1]:
        raise BadRoster(
            f"{path}: no column in line 1 is known; call them id, name and email, or use the list of participants or "
            "the gradebook as Moodle or Canvas exports it."
        )
    return best


def numbered_rows(text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """The rows of a CSV file, each with its first line number. Only line feeds and carriage returns end a line."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    line = 1
    for row in reader:
        yield line, row
        line = reader.line_num + 1


def columns_of(headings: list[str], line: int, path: Path) -> dict[str, int]:
    """Where each column is that we know."""
    found: dict[str, int] = {}
    for count, heading in enumerate(headings):
        what = next((what for what, names in COLUMNS.items() if folded(heading) in names), None)
        if what and what in found and what != "login":
            both = f"{headings[found[what]].strip()} and {heading.strip()}"
            raise BadRoster(f"{path}: in line {line} two columns hold the {what}, {both}; remove one of them.")
        if what:
            found[what] = count
    return found if found.keys() - {"participant", "handed_in"} else {}


def person_in(line: int, row: list[str], columns: dict[str, int], path: Path) -> tuple[int, Person] | None:
    """The person in a row, with its line; None for extra rows that Canvas adds."""
    cells = {what: row[at].strip() if at < len(row) else "" for what, at in columns.items()}
    cells = {what: unicodedata.normalize("NFC", cell) for what, cell in cells.items()}
    name, last_first = cells.get("name", ""), ""
    canvas = "sis" in columns or ("login" in columns and "," in name)
    if folded(name) in NOT_PEOPLE or (canvas and not name and not cells.get("id")):
        return None
    if cells.get("first") or cells.get("last"):
        last_first = f"{cells.get('last', '')}, {cells.get('first', '')}"
        name = name or f"{cells.get('first', '')} {cells.get('last', '')}".strip()
    elif name.count(",") == 1:
        last_first = name
        name = " ".join(part.strip() for part in reversed(name.split(",")))
    participant = re.sub(r"\D", "", cells.get("participant", ""))
    known_as = tuple(filter(None, (cells.get("login"), cells.get("sis"))))
    person = Person(
        *(cells.get("id", ""), name, cells.get("email", ""), "", known_as, participant, last_first),
        cells.get("handed_in", ""),
    )
    if not (person.id or person.name or person.email):
        raise BadRoster(f"{path}: line {line} has neither an id nor a name nor an email; complete or remove it.")
    return line, person


def demand_different(found: list[tuple[int, Person]], path: Path) -> None:
    """BadRoster if two people have one id, one email or one of Moodle's numbers."""
    for what in ("id", "email", "participant"):
        lines: dict[str, int] = {}
        for line, person in found:
            value = getattr(person, what)
            first = lines.setdefault(folded(value), line) if value else line
            if first != line:
                raise BadRoster(
                    f"{path}: lines {first} and {line} have the same {what}, {value}; each person needs their own."
                )


def told_apart(found: list[tuple[int, Person]], path: Path) -> tuple[Person, ...]:
    """The people, each with a unique text."""
    names = Counter(folded(person.name) for _, person in found)
    lines: dict[str, int] = {}
    people = []
    for line, person in found:
        shared = names[folded(person.name)] > 1 and (person.id or person.email)
        student = person.name or person.email or person.id
        if person.name and shared:
            student = f"{person.name} ({shared})"
        first = lines.setdefault(folded(student), line)
        if first != line:
            raise BadRoster(
                f"{path}: the people in lines {first} and {line} cannot be told apart ({student}); give both an id."
            )
        people.append(dataclasses.replace(person, student=student))
    return tuple(people)
