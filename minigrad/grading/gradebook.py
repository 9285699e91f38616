"""One grading from end to end: which submissions have to be judged, what is kept of them, and what is written.

It keeps each record as soon as it is there. Without a store the records live as long as the process.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from minigrad.course.submitted import Unreadable
from minigrad.grading import store as stores
from minigrad.grading.intake import HandedIn, NotGraded
from minigrad.grading.pool import Crew, judge_all
from minigrad.grading.record import Record
from minigrad.grading.store import Store
from minigrad.grading.task import Settings, Task

STORE = "grades.sqlite"
VIEWS = ("csv", "json", "junit", "html")
SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Gradebook:
    """The records of one grading, in a store if there is one."""

    def __init__(self, handed_in: Sequence[HandedIn], settings: Settings, store: Store | None = None):
        self.handed_in = handed_in
        self.settings = settings
        self.store = store
        self.unchanged = 0  # how many the store had already
        self.memory: dict[str, Record] = {}  # what a store does not keep: faults, and everything where there is none
        self.ready: set[str] = set()  # places whose record holds; in the store may be one of what has changed since
        self.rules = stores.rules(settings) if store else ""
        self.keys: dict[str, tuple[str, str]] = {}

    def judge(self, hire: Callable[[], Crew], again: bool, done: Callable[[Record | None], None]) -> None:
        """Judge what has to be judged; `done` hears of each submission, with None for one that was kept already."""
        judge_all(self.tasks(again, done), hire, lambda record: self.keep(record, done))

    def tasks(self, again: bool, done: Callable[[Record | None], None]) -> Iterator[Task]:
        """What has to be judged, read when its turn comes. What cannot be read is kept at once."""
        for each in self.handed_in:
            obstacle = None
            try:
                content = each.read()
            except Unreadable as error:
                obstacle, content = error, str(error).encode("utf-8", "backslashreplace")
            task = Task(each.place, each.student, each.assignment, content)
            key = stores.key(task, self.rules)
            if self.store and not again and self.store.has(each.place, key):
                self.unchanged += 1
                self.ready.add(each.place)
                done(None)
                continue
            self.keys[each.place] = key, stores.digest(content)
            if obstacle is None:
                yield task
            else:
                skipped = str(obstacle) if isinstance(obstacle, NotGraded) else None
                sentence = None if skipped else str(obstacle)
                self.keep(Record(each.place, each.student, each.assignment or None, sentence, skipped=skipped), done)

    def keep(self, record: Record, done: Callable[[Record | None], None]) -> None:
        """Keep a record. A fault of the grading is no grade: the next run tries again."""
        with uninterrupted():
            if self.store and not record.fault:
                key, content = self.keys[record.place]
                self.store.keep(record, key, content, self.settings.seed)
                self.memory.pop(record.place, None)
            else:
                self.memory[record.place] = record
            self.ready.add(record.place)
        done(record)

    def record(self, place: str, texts: bool = True) -> Record | None:
        """The record of a place, if there is one yet."""
        if place not in self.ready:
            return None
        found = self.memory.get(place)
        return found or (self.store.record(place, texts) if self.store else None)

    def records(self, texts: bool = False) -> Iterator[Record]:
        """All records there are, in the order of intake."""
        for each in self.handed_in:
            record = self.record(each.place, texts)
            if record is not None:
                yield record

    def students(self, texts: bool = False) -> Iterator[tuple[str, list[Record]]]:
        """Each student with all records there are, by name; of a large class no more than one student is in memory."""
        places: dict[str, list[str]] = {}
        for each in self.handed_in:
            places.setdefault(each.student, []).append(each.place)
        for student in sorted(places):
            records = [record for place in places[student] if (record := self.record(place, texts)) is not None]
            if records:
                yield student, records

    def summary(self) -> Summary:
        """What the grading came to."""
        made = Summary()
        for record in self.records():
            made.add(record)
        return made


@dataclasses.dataclass
class Summary:
    """What a grading came to. `unconfined` is what was not confined wherever something was judged, in sentences."""

    records: int = 0
    skipped: int = 0
    good: int = 0
    faults: list[str] = dataclasses.field(default_factory=list)
    numbers: bool = False  # some check ran, on numbers drawn with the seed
    unconfined: list[str] = dataclasses.field(default_factory=list)

    def add(self, record: Record) -> None:
        """Count a record."""
        self.records += 1
        self.skipped += bool(record.skipped)
        self.good += record.passed
        self.numbers = self.numbers or bool(record.parts)
        self.faults += [record.place] if record.fault else []
        self.unconfined = sorted({*self.unconfined, *record.unconfined})

    @property
    def status(self) -> int:
        """The exit status: 0 if everything passes, 3 if the grading itself failed somewhere."""
        if self.faults:
            return 3
        return 0 if self.good and self.good == self.records - self.skipped else 1


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Let Ctrl-C and SIGTERM wait until the block has ended."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    before = {each: signal.signal(each, lambda number, frame: came.append(number)) for each in SIGNALS}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
    if came:
        raise KeyboardInterrupt


# --- files ---------------------------------------------------------------------------------------


def write_views(book: Gradebook, folder: Path, views: Sequence[str], unconfined: list[str]) -> list[Path]:
    """Write the views into a folder; the files to look at first."""
    from minigrad.grading import views as texts  # what a plain run of one file does not need

    seed = book.settings.seed
    makers: dict[str, tuple[str, Callable[[], str | Iterable[str]]]] = {
        "csv": ("grades.csv", lambda: texts.as_csv(book.students())),
        "json": ("grades.json", lambda: texts.as_json(book.records(), seed, unconfined)),
        "junit": ("junit.xml", lambda: texts.as_junit(book.records())),
        "html": ("class.html", lambda: write_pages(book, folder, unconfined)),
    }
    written = []
    for view in views:
        name, made = makers[view]
        write(folder / name, made())
        written.append(folder / name)
    return written


def write_pages(book: Gradebook, folder: Path, unconfined: list[str]) -> str:
    """Write the students' pages; the text of the class page."""
    from minigrad.grading import pages, similar

    folder_of_pages = folder / pages.FOLDER
    folder_of_pages.mkdir(exist_ok=True)
    whole, answers = pages.Class(), similar.Answers(book.record)
    for student, records in book.students(texts=True):
        write(folder_of_pages / pages.file_name(student), pages.student_page(student, records, book.settings.seed))
        whole.add(student, records)
        for record in records:
            answers.add(record)
    return pages.class_page(whole, answers.pairs(), answers.same_as_ours(), book.settings.seed, unconfined)


def write(path: Path, text: str | Iterable[str]) -> None:
    """Write a file as a whole: whoever reads it meanwhile sees the old one or the new one."""
    pieces = [text] if isinstance(text, str) else text
    device = path.exists() and not path.is_file()  # as /dev/stdout
    part = path if device else path.with_name(f"{path.name}.part")
    options: dict[str, Any] = {"encoding": "utf-8", "errors": "backslashreplace", "newline": ""}
    with part.open("w", **options) as file:
        file.writelines(pieces)
    if not device:
        os.replace(part, path)
