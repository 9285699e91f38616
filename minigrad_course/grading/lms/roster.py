"""The people of a class, as a learning management system or a person lists them.

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
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from minigrad_course.grading import lms as systems
from minigrad_course.grading.lms.protocol import System
from minigrad_course.grading.people.given import content_of
from minigrad_course.grading.people.names import Said, folded
from minigrad_course.grading.people.people import Person

LARGEST = 20_000_000  # bytes
# what a column may be called, by what it holds, besides what a system calls it; compared without case and punctuation
COLUMNS = {
    "id": ("id", "id number", "student id", "student number", "sid", "matriculation number", "matrikelnummer"),
    "name": ("name", "full name", "student name", "student", "display name"),
    "first": ("first name", "firstname", "given name", "vorname"),
    "last": ("last name", "lastname", "surname", "family name", "nachname"),
    "email": ("email", "email address", "e mail", "e mail address", "mail"),
    "login": ("login", "user name", "github username", "github"),
    "sis": (),
    "participant": (),
    "handed_in": (),
    "role": ("role", "roles", "course role", "rolle", "rollen"),
}
# what a role is called that is no student's
STAFF = """
    instructor teacher ta tas teaching assistant reader grader observer designer admin administrator manager lecturer
    tutor coordinator auditor staff professor lehrende lehrender dozent dozentin trainer leiter leiterin
"""
STUDENTS = "student students learner studierende studierender teilnehmer mitglied member"
LEAST_INSIDE = 4  # characters of what is looked for inside a name
MOST_WORDS = 40  # of a name that are looked at
SEPARATORS = ",;\t"


class BadRoster(Exception):
    """The file is not a roster; the message says what is wrong, where, and what to do."""


# --- people --------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Roster:
    """The people of a class. `left_out` are those on the file whose role is not a student's."""

    people: tuple[Person, ...]
    left_out: tuple[str, ...] = dataclasses.field(default=(), compare=False)

    @classmethod
    def of(cls, data: Iterable[dict[str, Any]]) -> Roster:
        """The roster that `data` gave."""
        return cls(tuple(Person(**{**item, "known_as": tuple(item.get("known_as", ()))}) for item in data))

    def data(self) -> list[dict[str, Any]]:
        """The roster as plain data."""
        return [{**dataclasses.asdict(person), "known_as": list(person.known_as)} for person in self.people]

    @functools.cached_property
    def named(self) -> dict[str, list[Person]]:
        """The people each text may refer to."""
        results: dict[str, list[Person]] = {}
        for person in self.people:
            for key in person.texts():
                results.setdefault(key, []).append(person)
        return results

    @functools.cached_property
    def keyed(self) -> dict[str, list[Person]]:
        """The people each id, login and email refers to."""
        results: dict[str, list[Person]] = {}
        for person in self.people:
            for key in person.given():
                results.setdefault(key, []).append(person)
        return results

    @functools.cached_property
    def numbered(self) -> dict[str, list[Person]]:
        """The people each number of one assignment refers to."""
        results: dict[str, list[Person]] = {}
        for person in self.people:
            if person.participant:
                results.setdefault(person.participant, []).append(person)
        return results

    @functools.cached_property
    def words(self) -> dict[str, list[Person]]:
        """Whom each text stands for that is looked for inside other names: an id, a login, an email or a full name."""
        results: dict[str, list[Person]] = {}
        for person in self.people:
            halves = [*person.halves(), *((first, last) for last, first in person.halves())]
            names = {folded(f"{one} {other}") for one, other in halves}
            texts = {name for name in names if " " in name} | person.given() | {folded(person.email.partition("@")[0])}
            for text in texts:
                if len(text) >= LEAST_INSIDE:
                    results.setdefault(text, []).append(person)
        return results

    def inside(self, text: str) -> list[Person]:
        """The people whose full name, id, login or email stands inside a text as words of its own."""
        words = folded(text).split()[:MOST_WORDS]
        runs = [" ".join(words[at:end]) for at in range(len(words)) for end in range(at + 1, len(words) + 1)]
        return list(dict.fromkeys(person for run in runs for person in self.words.get(run, ())))

    @functools.cached_property
    def spelled(self) -> dict[tuple[str, str], list[Person]]:
        """The people each text may refer to as a system spells names."""
        results: dict[tuple[str, str], list[Person]] = {}
        own = [system for system in systems.SYSTEMS if type(system).spelled is not System.spelled]
        for person in self.people:
            texts = person.texts()
            for system in own:
                for text in {folded(system.spelled(text)) for text in texts} - texts:
                    results.setdefault((system.name, text), []).append(person)
        return results

    def by_number(self, said: Said) -> list[Person]:
        """Whom the id stands for that a system put beside a name."""
        system = systems.named(said.system)
        if system and system.numbered:
            return self.numbered.get(said.id, [])
        return self.keyed.get(folded(said.id), []) if said.id and system and system.lasting else []

    def whose(self, said: Said) -> list[Person]:
        """The people a name may refer to: nobody, one, or several if it is unclear.

        A number and a name that stand for different people are unclear, too: one of them is not the owner's. Nobody
        takes an id, a login or an email from its owner by being called like it.
        """
        by_number = self.by_number(said)
        keys = [folded(said.known)]
        system = systems.named(said.system)
        if system and system.grouped:  # the whole name before a part of it: in front may be the name of any group
            whole = f"{said.group}-{said.known}" if said.group else said.known
            pieces = whole.split("-")
            keys = [folded("-".join(pieces[count:])) for count in range(len(pieces))]
        key = next((key for key in keys if key in self.named), keys[0])
        by_name = self.named.get(key) or self.spelled.get((said.system, key), [])
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
    everybody = [(row, person) for line, row in rows if (person := person_in(line, row, columns, path))]
    results = [person for row, person in everybody if not is_staff(row, columns)]
    if not results:
        nobody = "everybody's role is another than a student's" if everybody else "there is no person"
        raise BadRoster(f"{path} names nobody: {nobody} below the headings in line {headings}.")
    demand_different(results, path)
    left_out = [person.name or person.email or person.id for row, (_, person) in everybody if is_staff(row, columns)]
    return Roster(told_apart(results, path), tuple(left_out))


def is_staff(row: Sequence[str], columns: dict[str, int]) -> bool:
    """True if a row has a role, and it is not a student's."""
    words = set(folded(row[columns["role"]]).split()) if columns.get("role", len(row)) < len(row) else set()
    return not words.isdisjoint(STAFF.split()) and words.isdisjoint(STUDENTS.split())


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
            rows = [row for row in numbered_rows(text, separator) if any(cell.strip() for cell in row[1])]
        except csv.Error as error:
            raise BadRoster(f"{path} cannot be read as CSV: {error}; save it again as CSV in UTF-8.") from None
        if rows and re.fullmatch(r"sep=.?", rows[0][1][0].strip()):  # Excel's
            rows = rows[1:]
        if rows and len(result := columns_of(*rows[0], path, [row for _, row in rows[1:]])) > len(best[1]):
            best = rows[0][0], result, rows[1:]
    if not best[1]:
        raise BadRoster(
            f"{path}: no column in line 1 is known; call them id, name and email, or use the list of participants or "
            "the gradebook as your system exports it, with the site in English."
        )
    return best


def numbered_rows(text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """The rows of a CSV file, each with its first line number. Only line feeds and carriage returns end a line."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    line = 1
    for row in reader:
        yield line, row
        line = reader.line_num + 1


@functools.cache
def called() -> dict[str, str]:
    """What each heading holds that we know."""
    lists = [COLUMNS, *(system.headings for system in systems.SYSTEMS)]
    return {name: what for items in lists for what, names in items.items() for name in names}


def columns_of(line: int, headings: Sequence[str], path: Path, rows: Sequence[Sequence[str]]) -> dict[str, int]:
    """Where each column is that we know, by its heading or, where a system's lists are known so, by what is in it."""
    result: dict[str, int] = {}
    for count, heading in enumerate(headings):
        what = called().get(folded(heading))
        if what and what in result and what not in ("login", "role"):
            both = f"{headings[result[what]].strip()} and {heading.strip()}"
            raise BadRoster(f"{path}: in line {line} two columns hold the {what}, {both}; remove one of them.")
        if what:
            result[what] = count
    for system in systems.SYSTEMS:
        if by_content := system.columns(headings, rows):
            result = {what: at for what, at in result.items() if at not in by_content.values()}
            result = by_content | result
    if "participant" in result and "github username" in map(folded, headings):  # it calls an id so, as a person gave it
        result.setdefault("id", result.pop("participant"))
    return result if result.keys() - {"participant", "handed_in", "role"} else {}


def person_in(line: int, row: list[str], columns: dict[str, int], path: Path) -> tuple[int, Person] | None:
    """The person in a row, with its line; None for extra rows that systems add."""
    cells = {what: row[at].strip() if at < len(row) else "" for what, at in columns.items()}
    cells = {what: unicodedata.normalize("NFC", cell) for what, cell in cells.items()}
    for system in systems.SYSTEMS:
        if (result := system.cells(cells)) is None:
            return None
        cells = result
    name, last_first = cells.get("name", ""), ""
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
    if not (person.id or person.name or person.email or person.known_as):
        raise BadRoster(f"{path}: line {line} has neither an id nor a name nor an email; complete or remove it.")
    return line, person


def demand_different(found: list[tuple[int, Person]], path: Path) -> None:
    """BadRoster if two people have one id, one email or one number of an assignment."""
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
        student = person.name or person.email or person.id or person.known_as[0]
        if person.name and shared:
            student = f"{person.name} ({shared})"
        first = lines.setdefault(folded(student), line)
        if first != line:
            raise BadRoster(
                f"{path}: the people in lines {first} and {line} cannot be told apart ({student}); give both an id."
            )
        people.append(dataclasses.replace(person, student=student))
    return tuple(people)
