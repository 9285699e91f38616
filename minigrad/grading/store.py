"""Where grades are kept: one SQLite file, one transaction per submission.

A submission is in the store with all its parts or not at all, whenever the process ends. A rerun judges what the store
does not have: another content, another seed, other versions or limits make another key.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType

import minigrad
from minigrad.course import source
from minigrad.grading.record import PartRecord, Record, versions
from minigrad.grading.task import Settings, Task

SCHEMA = 2
BUSY_SECONDS = 30.0  # another grading may be writing into the same store
TABLES = """
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE submissions (
    place TEXT PRIMARY KEY, key TEXT NOT NULL, content TEXT NOT NULL, seed INTEGER NOT NULL, versions TEXT NOT NULL,
    student TEXT NOT NULL, exercise TEXT, error TEXT, skipped TEXT, notices TEXT NOT NULL, unconfined TEXT NOT NULL,
    points INTEGER NOT NULL, possible INTEGER NOT NULL, seconds REAL NOT NULL, judged TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE parts (
    place TEXT NOT NULL REFERENCES submissions ON DELETE CASCADE, number INTEGER NOT NULL, part TEXT NOT NULL,
    word TEXT NOT NULL, points INTEGER NOT NULL, possible INTEGER NOT NULL, what TEXT NOT NULL, mistake TEXT,
    text TEXT NOT NULL, reference INTEGER NOT NULL REFERENCES texts, seconds REAL NOT NULL,
    PRIMARY KEY (place, number)
) WITHOUT ROWID;
CREATE TABLE answers (
    place TEXT NOT NULL REFERENCES submissions ON DELETE CASCADE, part TEXT NOT NULL, shape TEXT NOT NULL,
    source TEXT NOT NULL, PRIMARY KEY (place, part)
) WITHOUT ROWID;
CREATE TABLE texts (number INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
"""


class BadStore(Exception):
    """The file cannot be used as a store; the message says why and what to do."""


class Store:
    """The grades in one file, made if it is not there; a context manager."""

    def __init__(self, path: Path):
        self.path = path
        try:
            self.database = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
            self.prepare()
        except sqlite3.Error as error:
            raise BadStore(f"{path} cannot be used as a store of grades: {error}.") from None

    def prepare(self) -> None:
        """Make the tables, all of them or none; refuse what another version or another program made."""
        self.database.execute("PRAGMA journal_mode = WAL")
        self.database.execute("PRAGMA synchronous = FULL")
        self.database.execute("PRAGMA foreign_keys = ON")
        with self.transaction():
            (found,) = self.database.execute("PRAGMA user_version").fetchone()
            tables = self.database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            if found == 0 and not tables:
                for statement in filter(str.strip, TABLES.split(";")):
                    self.database.execute(statement)
                self.database.execute(f"PRAGMA user_version = {SCHEMA}")
            elif found != SCHEMA:
                raise BadStore(
                    f"{self.path} was made by another version of the grader (its schema is {found}, this one's is "
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

    # --- the seed --------------------------------------------------------------------------------

    def seed(self, asked: int | None, drawn: int) -> int:
        """The seed of this grading: the one asked for, else the stored one, else the one drawn. It is kept."""
        with self.transaction():
            row = self.database.execute("SELECT value FROM facts WHERE name = 'seed'").fetchone()
            seed = asked if asked is not None else int(row[0]) if row else drawn
            self.database.execute("INSERT OR REPLACE INTO facts VALUES ('seed', ?)", (str(seed),))
        return seed

    # --- records ---------------------------------------------------------------------------------

    def has(self, place: str, key: str) -> bool:
        """True if this place was judged with this key."""
        query = "SELECT 1 FROM submissions WHERE place = ? AND key = ?"
        return self.database.execute(query, (place, key)).fetchone() is not None

    def keep(self, record: Record, key: str, content: str, seed: int) -> None:
        """Keep one record, in place of an older one of the same place."""
        with self.transaction():
            self.database.execute("DELETE FROM submissions WHERE place = ?", (record.place,))
            row = (
                *(record.place, key, content, seed, json.dumps(versions()), record.student, record.exercise),
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
                    *(part.mistake, part.text, reference, part.seconds),
                )
                self.database.execute(f"INSERT INTO parts VALUES ({', '.join('?' * len(cells))})", cells)
            answers = [(record.place, part, record.shapes.get(part, ""), text) for part, text in record.answers.items()]
            self.database.executemany("INSERT INTO answers VALUES (?, ?, ?, ?)", answers)

    def record(self, place: str, texts: bool = True) -> Record | None:
        """The record of a place, as it was kept; without `texts` not what was printed, nor the answers."""
        query = (
            "SELECT student, exercise, error, skipped, notices, unconfined, seconds FROM submissions WHERE place = ?"
        )
        row = self.database.execute(query, (place,)).fetchone()
        if row is None:
            return None
        student, exercise, error, skipped, notices, unconfined, seconds = row
        printed = "parts.text, texts.text" if texts else "'', ''"
        parts = self.database.execute(
            f"SELECT part, word, points, possible, what, mistake, {printed}, seconds "
            "FROM parts JOIN texts ON texts.number = reference WHERE place = ? ORDER BY parts.number",
            (place,),
        )
        answers: list[tuple[str, str, str]] = []
        if texts:
            query = "SELECT part, shape, source FROM answers WHERE place = ?"
            answers = self.database.execute(query, (place,)).fetchall()
        return Record(
            place=place,
            student=student,
            exercise=exercise,
            error=error,
            skipped=skipped,
            notices=tuple(json.loads(notices)),
            parts=tuple(PartRecord(*part) for part in parts),
            answers={part: text for part, _, text in answers},
            shapes={part: shape for part, shape, _ in answers if shape},
            seconds=seconds,
            unconfined=tuple(json.loads(unconfined)),
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
    """What a grade depends on beside the submission: seed, limits, versions, and the text of the course itself."""
    course = hashlib.sha256()
    package = Path(minigrad.__file__).parent
    texts = source.notebooks_folder() / "solutions" / "source"
    for path in sorted([*package.rglob("*.py"), *texts.glob("*.md")]):
        content = path.read_bytes()
        course.update(f"{path.name} {len(content)}\n".encode() + content)
    settled = [settings.seed, vars(settings.limits), settings.submission_seconds]
    return digest(json.dumps([*settled, versions(), course.hexdigest()]).encode())


def key(task: Task, rules: str) -> str:
    """What has to be the same for a record to hold: the content, whose it is, and the rules."""
    return digest(json.dumps([digest(task.content), task.student, task.assignment, rules]).encode())
