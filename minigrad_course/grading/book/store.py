"""Where grades are kept: one SQLite file, one transaction per submission.

A submission is in the store with all its parts or not at all, whenever the process ends. A rerun judges what the store
does not have: new content, versions or limits make a new key. It also stores what was handed in
last, by the folder or zip that was named, so that a class stays whole when one student of it is graded again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType

import minigrad
import minigrad_course
from minigrad_course.grading.lms.roster import Roster
from minigrad_course.grading.people.names import UNKNOWN, When
from minigrad_course.grading.records.record import (
    VIEWS,
    Course,
    Intake,
    PartRecord,
    Record,
    Settings,
    Task,
    is_in,
    versions,
)
from minigrad_course.texts import source

SCHEMA = 6
BUSY_SECONDS = 30.0  # another grading may be writing into the same store
TABLES = """
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE spent (seed INTEGER PRIMARY KEY);
CREATE TABLE roots (shown TEXT PRIMARY KEY, path TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE places (
    number INTEGER PRIMARY KEY, place TEXT NOT NULL UNIQUE, root TEXT NOT NULL, student TEXT NOT NULL,
    handed_in TEXT NOT NULL
);
CREATE TABLE ids (id TEXT PRIMARY KEY, student TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE remarks (root TEXT NOT NULL, sentence TEXT NOT NULL, PRIMARY KEY (root, sentence)) WITHOUT ROWID;
CREATE TABLE submissions (
    place TEXT PRIMARY KEY, key TEXT NOT NULL, content TEXT NOT NULL, seed INTEGER, versions TEXT NOT NULL,
    student TEXT NOT NULL, exercise TEXT, error TEXT, skipped TEXT, notices TEXT NOT NULL, unconfined TEXT NOT NULL,
    points INTEGER NOT NULL, possible INTEGER NOT NULL, seconds REAL NOT NULL, judged TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE parts (
    place TEXT NOT NULL REFERENCES submissions ON DELETE CASCADE, number INTEGER NOT NULL, part TEXT NOT NULL,
    word TEXT NOT NULL, points INTEGER NOT NULL, possible INTEGER NOT NULL, what TEXT NOT NULL, mistake TEXT,
    error TEXT NOT NULL, text TEXT NOT NULL, reference INTEGER NOT NULL REFERENCES texts, seconds REAL NOT NULL,
    PRIMARY KEY (place, number)
) WITHOUT ROWID;
CREATE TABLE answers (
    place TEXT NOT NULL REFERENCES submissions ON DELETE CASCADE, part TEXT NOT NULL, source TEXT NOT NULL,
    PRIMARY KEY (place, part)
) WITHOUT ROWID;
CREATE TABLE texts (number INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
"""


class BadStore(Exception):
    """The file cannot be used as a store; the message says why and what to do."""


class Store:
    """The grades in one file, made if it is not there; a context manager."""

    def __init__(self, path: Path):
        self.path = path
        self.demand_not_lost()
        try:
            self.database = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
            self.prepare()
        except sqlite3.Error as error:
            raise BadStore(f"{path} cannot be used to store grades: {error}.") from None

    def demand_not_lost(self) -> None:
        """BadStore if views are there and nothing of what they were made from: a new store would let all of it go."""
        folder = self.path.parent
        views = [name for name in VIEWS.values() if (folder / name).exists()]
        if not views or self.holds_something():
            return
        what = "is empty" if self.path.exists() else "is not there"
        raise BadStore(
            f"{self.path} {what}, but {', '.join(views)} beside it show an earlier grading, which came from it. "
            f"Nothing was written, so that it stays to be seen. Put {self.path.name} back from a copy; to begin anew, "
            f"move the old files out of {folder}, or name another folder with --to."
        )

    def holds_something(self) -> bool:
        """True if the file is there and not a database without tables; what else it may be, `prepare` finds out."""
        if not self.path.exists():
            return False
        try:
            with contextlib.closing(sqlite3.connect(self.path, timeout=BUSY_SECONDS)) as database:
                return bool(database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])
        except sqlite3.Error:
            return True

    def prepare(self) -> None:
        """Make the tables, all of them or none; refuse what another version or another program made."""
        self.database.execute("PRAGMA journal_mode = WAL")
        self.database.execute("PRAGMA synchronous = FULL")
        self.database.execute("PRAGMA foreign_keys = ON")
        with self.transaction():
            (result,) = self.database.execute("PRAGMA user_version").fetchone()
            tables = self.database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            if result == 0 and not tables:
                for statement in filter(str.strip, TABLES.split(";")):
                    self.database.execute(statement)
                self.database.execute(f"PRAGMA user_version = {SCHEMA}")
            elif result != SCHEMA:
                raise BadStore(
                    f"{self.path} was made by another version of the grader (its schema is {result}, this one's is "
                    f"{SCHEMA}); name another folder with --to."
                )

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.database.close()

    def transaction(self) -> Transaction:
        return Transaction(self.database)

    # --- seeds -----------------------------------------------------------------------------------

    def spend(self, seeds: Iterable[int]) -> None:
        """Note that the numbers of some seeds are shown from now on: nothing new is ever judged on them here."""
        with self.transaction():
            self.database.executemany("INSERT OR IGNORE INTO spent VALUES (?)", ((seed,) for seed in seeds))

    def is_spent(self, seed: int) -> bool:
        """True if pages may show the numbers of a seed."""
        return self.database.execute("SELECT 1 FROM spent WHERE seed = ?", (seed,)).fetchone() is not None

    # --- what was handed in ----------------------------------------------------------------------

    @property
    def roster(self) -> Roster | None:
        """The class list that was given last, if one was."""
        row = self.database.execute("SELECT value FROM facts WHERE name = 'roster'").fetchone()
        return Roster.of(json.loads(row[0])) if row else None

    @roster.setter
    def roster(self, roster: Roster) -> None:
        with self.transaction():
            value = json.dumps(roster.data())
            self.database.execute("INSERT OR REPLACE INTO facts VALUES ('roster', ?)", (value,))

    @property
    def course(self) -> Course:
        """What counts, as it was said last."""
        row = self.database.execute("SELECT value FROM facts WHERE name = 'course'").fetchone()
        return Course.of(json.loads(row[0])) if row else Course()

    @course.setter
    def course(self, course: Course) -> None:
        with self.transaction():
            self.database.execute("INSERT OR REPLACE INTO facts VALUES ('course', ?)", (json.dumps(course.data()),))

    def roots(self) -> dict[str, Path]:
        """The folders and zips that were graded into this store: as they are shown, and where they are.

        What lies beside the grades is found from there: all of it may be moved or copied together.
        """
        rows = self.database.execute("SELECT shown, path FROM roots")
        return {shown: (self.around / path).resolve() for shown, path in rows}

    def ids(self) -> dict[str, str]:
        """Whose each id is that a system gave, as long as something of that student counts."""
        query = "SELECT id, student FROM ids WHERE student IN (SELECT student FROM places)"
        return dict(self.database.execute(query).fetchall())

    @property
    def around(self) -> Path:
        """The folder in which the grades have their own."""
        return self.path.resolve().parent.parent

    def take_in(self, intake: Intake) -> list[str]:
        """Replace what was there before in the same folders with what was found; returns the places that are gone.

        Of a folder that was named inside a larger one only its own places are replaced. Their marks stay in the store,
        and count again if the file comes back.
        """
        with self.transaction():
            gone: set[str] = set()
            for root, named in intake.roots.items():
                beside = named.path.is_relative_to(self.around)
                where = named.path.relative_to(self.around) if beside else named.path
                self.database.execute("INSERT OR REPLACE INTO roots VALUES (?, ?)", (root, str(where)))
                inside = self.database.execute("SELECT place FROM places WHERE root = ?", (root,)).fetchall()
                gone |= {place for (place,) in inside if named.covers(place)}
                if named.whole:
                    self.database.execute("DELETE FROM remarks WHERE root = ?", (root,))
                rows = ((root, sentence) for sentence in named.remarks)
                self.database.executemany("INSERT OR IGNORE INTO remarks VALUES (?, ?)", rows)
            self.database.executemany("INSERT OR REPLACE INTO ids VALUES (?, ?)", intake.ids.items())
            here = {item.place for item in intake.found}
            gone -= here
            self.database.executemany("DELETE FROM places WHERE place = ?", ((place,) for place in gone))
            self.database.executemany(
                "INSERT INTO places (place, root, student, handed_in) VALUES (?, ?, ?, ?) ON CONFLICT (place) "
                "DO UPDATE SET root = excluded.root, student = excluded.student, handed_in = excluded.handed_in",
                ((item.place, item.root, item.student, json.dumps(item.when.data())) for item in intake.found),
            )
        # a new owner may mean a new row: for the folder around it, or for one in it
        around = {place[:at] for place in here for at, item in enumerate(place) if item == "/"}
        return sorted(item for item in gone if item not in around and not any(is_in(item, place) for place in here))

    def places(self) -> Iterator[tuple[str, str]]:
        """Every place that counts, with its student, in the order in which they came."""
        yield from self.database.execute("SELECT place, student FROM places ORDER BY number").fetchall()

    def exercises(self) -> set[str]:
        """The exercises of which something counts that belongs to somebody, also where it could not be read."""
        query = (
            "SELECT DISTINCT exercise FROM submissions JOIN places USING (place) "
            "WHERE exercise IS NOT NULL AND skipped IS NULL AND places.student != ''"
        )
        return {exercise for (exercise,) in self.database.execute(query)}

    def when(self, place: str) -> When:
        """When something was handed in."""
        row = self.database.execute("SELECT handed_in FROM places WHERE place = ?", (place,)).fetchone()
        return When.of(json.loads(row[0])) if row else UNKNOWN

    def remarks(self) -> list[str]:
        """What was said about whose the submissions are."""
        return [item for (item,) in self.database.execute("SELECT sentence FROM remarks ORDER BY root, sentence")]

    # --- records ---------------------------------------------------------------------------------

    def has(self, place: str, key: str, seed: int | None = None) -> bool:
        """True if this place was judged with this key, and with the numbers of `seed` if one is given."""
        row = self.database.execute("SELECT seed FROM submissions WHERE place = ? AND key = ?", (place, key)).fetchone()
        return row is not None and (seed is None or row[0] in (seed, None))

    def unconfined(self) -> set[str]:
        """What was not confined wherever something that counts was judged."""
        rows = self.database.execute("SELECT DISTINCT unconfined FROM submissions JOIN places USING (place)")
        return {sentence for (item,) in rows for sentence in json.loads(item)}

    def keep(self, record: Record, key: str, content: str) -> None:
        """Keep one record, in place of an older one of the same place."""
        with self.transaction():
            self.database.execute("DELETE FROM submissions WHERE place = ?", (record.place,))
            row = (
                *(record.place, key, content, record.seed, json.dumps(versions()), record.student, record.exercise),
                *(record.error, record.skipped, json.dumps(record.notices), json.dumps(record.unconfined)),
                *(record.points, record.possible, record.seconds, datetime.now(UTC).isoformat(timespec="seconds")),
            )
            self.database.execute(f"INSERT INTO submissions VALUES ({', '.join('?' * len(row))})", row)
            for number, part in enumerate(record.parts):
                self.database.execute("INSERT OR IGNORE INTO texts (text) VALUES (?)", (part.reference,))
                query = "SELECT number FROM texts WHERE text = ?"
                (reference,) = self.database.execute(query, (part.reference,)).fetchone()
                cells = (
                    *(record.place, number, part.part, part.word, part.points, part.possible, part.what),
                    *(part.mistake, part.error, part.text, reference, part.seconds),
                )
                self.database.execute(f"INSERT INTO parts VALUES ({', '.join('?' * len(cells))})", cells)
            answers = [(record.place, part, text) for part, text in record.answers.items()]
            self.database.executemany("INSERT INTO answers VALUES (?, ?, ?)", answers)

    def record(self, place: str, texts: bool = True) -> Record | None:
        """The stored record of a place; without `texts`, it lacks the printed text and the answers.

        Whose it is may have been found out since: a class list can come later.
        """
        query = (
            "SELECT coalesce(places.student, submissions.student), exercise, error, skipped, notices, unconfined, "
            "seconds, seed, judged FROM submissions LEFT JOIN places USING (place) WHERE place = ?"
        )
        row = self.database.execute(query, (place,)).fetchone()
        if row is None:
            return None
        student, exercise, error, skipped, notices, unconfined, seconds, seed, judged = row
        printed = "parts.text, texts.text" if texts else "'', ''"
        parts = self.database.execute(
            f"SELECT part, word, points, possible, what, mistake, error, {printed}, seconds "
            "FROM parts JOIN texts ON texts.number = reference WHERE place = ? ORDER BY parts.number",
            (place,),
        )
        answers: list[tuple[str, str]] = []
        if texts:
            query = "SELECT part, source FROM answers WHERE place = ?"
            answers = self.database.execute(query, (place,)).fetchall()
        return Record(
            place=place,
            student=student,
            exercise=exercise,
            error=error,
            skipped=skipped,
            notices=tuple(json.loads(notices)),
            parts=tuple(PartRecord(*part) for part in parts),
            answers=dict(answers),
            seconds=seconds,
            unconfined=tuple(json.loads(unconfined)),
            seed=seed,
            day=judged[:10],
        )


class Transaction:
    """All of a block, or nothing of it."""

    def __init__(self, database: sqlite3.Connection):
        self.database = database

    def __enter__(self) -> None:
        self.database.execute("BEGIN IMMEDIATE")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.database.execute("COMMIT" if kind is None else "ROLLBACK")


# --- keys ----------------------------------------------------------------------------------------


def digest(content: bytes) -> str:
    """The SHA-256 of some bytes."""
    return hashlib.sha256(content).hexdigest()


def rules(settings: Settings) -> str:
    """What a grade depends on besides the submission: limits, versions, and the text of the course itself.

    Not the seed: an answer that is right passes with every seed.
    """
    course = hashlib.sha256()
    packages = [Path(package.__path__[0]) for package in (minigrad, minigrad_course)]
    texts = source.notebooks_folder() / "solutions" / "source"
    for path in sorted([*(path for package in packages for path in package.rglob("*.py")), *texts.glob("*.md")]):
        content = path.read_bytes()
        course.update(f"{path.name} {len(content)}\n".encode() + content)
    settled = [vars(settings.limits), settings.submission_seconds]
    return digest(json.dumps([*settled, versions(), course.hexdigest()]).encode())


def key(task: Task, rules: str) -> str:
    """What must be unchanged for a record to stay valid: the content, the assignment, and the rules.

    Not whose it is: a class list that comes later changes no marks.
    """
    return digest(json.dumps([digest(task.content), task.assignment, rules]).encode())
