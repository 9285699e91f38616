"""One grading from end to end: which submissions to judge, what to keep, and what to write.

It keeps each record as soon as it exists. Without a store the records live as long as the process. Whatever a store
holds about the rest of the class is kept, and appears in every view.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import itertools
import os
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from filelock import FileLock

from minigrad_course.grading.book import store as stores
from minigrad_course.grading.book.rules import Course, Ruling, in_order
from minigrad_course.grading.book.store import Store
from minigrad_course.grading.collect.entries import by_name
from minigrad_course.grading.collect.intake import HandedIn, NotGraded
from minigrad_course.grading.collect.roster import Roster
from minigrad_course.grading.judge.assemble import recognised
from minigrad_course.grading.judge.record import Record
from minigrad_course.grading.judge.task import VIEWS, Settings, Task, seed_of
from minigrad_course.grading.lms.standings import counted, file_name
from minigrad_course.grading.people.people import Person
from minigrad_course.grading.people.times import UNKNOWN, When
from minigrad_course.grading.workers.pool import Crew, judge_all
from minigrad_course.grading.workers.signals import uninterrupted
from minigrad_course.parts import chapters
from minigrad_course.texts.submitted import Unreadable, code_cells, loaded

STORE = "grades.sqlite"
LOCK = ".writing"
FEW = 3  # submissions that take less time than starting workers
NOBODY = ""  # the student for work that belongs to nobody


class SpentSeed(Exception):
    """Somebody may have seen the numbers of this grading; the message says what to do."""


class Gradebook:
    """The records of one grading; of a class, in a store.

    `handed_in` is the subject of this grading. The store may hold more of the class, and the views show all of it.
    """

    def __init__(
        self,
        handed_in: Sequence[HandedIn],
        settings: Settings,
        store: Store | None = None,
        asked: bool = False,
        course: Course | None = None,
    ):
        self.handed_in = handed_in
        self.settings = settings
        self.store = store
        self.asked = asked  # for this very seed
        self.course = course or (store.course if store else Course())
        self.unchanged = 0  # how many were already in the store
        self.few = False  # are to be judged
        self.memory: dict[str, Record] = {}  # records that are not stored: faults, or all of them without a store
        self.ready: set[str] = set()  # places whose record holds; in the store may be one of what has changed since
        self.rules = stores.rules(settings) if store else ""
        self.keys: dict[str, tuple[str, str]] = {}
        self.whose = {each.place: each.student for each in handed_in}
        self.times = {each.place: each.when for each in handed_in}
        self.files = Counter(self.whose.values())
        self.attempts: Counter[tuple[str, str]] = Counter()  # by student and exercise, as far as files have been read

    def judge(self, hire: Callable[[], Crew], again: bool, done: Callable[[Record | None], None]) -> None:
        """Judge what needs judging; `done` is called for each submission, with None for one that was kept already.

        SpentSeed if the numbers would be ones that a page has shown.
        """
        seconds, tasks = self.settings.submission_seconds, self.tasks(again, done)
        first = list(itertools.islice(tasks, FEW + 1))
        self.few = len(first) <= FEW
        judge_all(itertools.chain(first, tasks), hire, lambda record: self.keep(record, done), seconds)

    def tasks(self, again: bool, done: Callable[[Record | None], None]) -> Iterator[Task]:
        """The submissions to judge, each read when its turn comes. Unreadable ones are recorded immediately.

        One exercise after the other, as far as names tell: a worker has the engines of one at a time.
        """
        for each in sorted(self.handed_in, key=exercise_of):
            obstacle = None
            try:
                content = each.read()
            except Unreadable as error:
                obstacle, content = error, str(error).encode("utf-8", "backslashreplace")
            attempt = self.attempt(each.student, content)
            task = Task(each.place, each.student, each.assignment, content, seed=seed_of(self.settings.seed, attempt))
            key = stores.key(task, self.rules)
            seed = task.seed if self.asked else None
            if self.store and not again and self.store.has(each.place, key, seed):
                self.unchanged += not isinstance(obstacle, NotGraded)
                self.ready.add(each.place)
                done(None)
                continue
            self.keys[each.place] = key, stores.digest(content)
            if obstacle is None:
                self.demand_fresh(task)
                yield task
            else:
                skipped = str(obstacle) if isinstance(obstacle, NotGraded) else None
                sentence = None if skipped else str(obstacle)
                self.keep(Record(each.place, each.student, task.exercise or None, sentence, skipped=skipped), done)

    def attempt(self, student: str, content: bytes) -> int:
        """How many of the files before, in this grading, are the same student's, and the same exercise."""
        if student == NOBODY or self.files[student] == 1:
            return 0
        try:
            notebook = loaded(content)
            exercise = recognised(notebook, code_cells(notebook), []).name
        except Unreadable:  # no numbers are drawn for it
            return 0
        self.attempts[student, exercise] += 1
        return self.attempts[student, exercise] - 1

    def demand_fresh(self, task: Task) -> None:
        """SpentSeed if pages show the numbers of a task: anybody who has seen one could print them."""
        if self.store and task.seed is not None and self.store.is_spent(task.seed):
            raise SpentSeed(
                f"{task.place} has to be judged, but the pages in {self.store.path.parent} already show the numbers of "
                f"seed {self.settings.seed}. Omit --seed to draw new ones, or repeat that grading in a separate "
                "folder: --to ANOTHER_FOLDER."
            )

    def keep(self, record: Record, done: Callable[[Record | None], None]) -> None:
        """Keep a record. A fault of the grading is not a grade: the next run tries again."""
        with uninterrupted():
            if self.store and not record.fault:
                self.store.keep(record, *self.keys[record.place])
                self.memory.pop(record.place, None)
            else:
                self.memory[record.place] = record
            self.ready.add(record.place)
        done(record)

    def record(self, place: str, texts: bool = True) -> Record | None:
        """The record of a place, if there is a valid one."""
        if place in self.whose and place not in self.ready:
            return None
        found = self.memory.get(place)
        return found or (self.store.record(place, texts) if self.store else None)

    def records(self, texts: bool = False) -> Iterator[Record]:
        """The records of this grading's submissions, in the order of intake, as the rules of the course have them."""
        return self.ruled(list(self.whose), texts)

    def records_by_student(self) -> Iterator[Record]:
        """The same, student by student as `students` has them; work of nobody comes last."""
        some = [student for student in self.in_order() if student != NOBODY]
        order = {student: at for at, student in enumerate(some)}
        return self.ruled(sorted(self.whose, key=lambda place: order.get(self.whose[place], len(order))))

    def all_records(self) -> Iterator[Record]:
        """The records of the whole class, in the order of intake."""
        return self.ruled(list(dict(self.places())))

    def ruled(self, places: list[str], texts: bool = False) -> Iterator[Record]:
        """The records of some places with what the rules make of them; for that, each student's others are read."""
        waiting: dict[str, Record | None] = {}
        wanted = set(places)
        of_student, owners = self.by_student, self.owners
        for place in places:
            if place not in waiting:
                student = owners.get(place, NOBODY)
                mine = list(self.of([place] if student == NOBODY else of_student[student], texts))
                found = mine if student == NOBODY else self.ruling(student, mine)
                waiting |= {each.place: each for each in found if each.place in wanted}
            if record := waiting.pop(place, None):
                yield record

    def ruling(self, student: str, records: Sequence[Record], assigned: Iterable[str] | None = None) -> list[Record]:
        """What the rules of the course make of a student's records, and of what is missing."""
        ruling = Ruling.on(self.course, student, self.people.get(student))
        assigned = self.assigned if assigned is None else assigned
        made = ruling.records(records, [self.when(each.place) for each in records], assigned)
        return [dataclasses.replace(each, student=student) if each.missing else each for each in made]

    def alone(self, records: Iterable[Record | None]) -> list[Record]:
        """Files as they are shown one by one: what the rules make of each by itself."""
        found = [each for each in records if each]
        return [self.ruling(each.student, [each], assigned=())[0] for each in found]

    def when(self, place: str) -> When:
        """When something was handed in."""
        return self.times.get(place) or (self.store.when(place) if self.store else UNKNOWN)

    @functools.cached_property
    def assigned(self) -> list[str]:
        """The exercises that everybody's points are out of: those of the rules, else those that anybody handed in."""
        if self.course.exercises:
            return in_order(self.course.exercises)
        here = {each.exercise or "" for each in self.memory.values() if each.student != NOBODY and not each.skipped}
        return in_order(here.union(self.store.exercises() if self.store else ()))

    @functools.cached_property
    def owners(self) -> dict[str, str]:
        """The student of each place of the class."""
        return dict(self.places())

    @functools.cached_property
    def by_student(self) -> dict[str, list[str]]:
        """The places of each student, in the order of intake."""
        found: dict[str, list[str]] = {}
        for place, student in self.owners.items():
            found.setdefault(student, []).append(place)
        return found

    @functools.cached_property
    def people(self) -> dict[str, Person]:
        """The people on the class list."""
        return {person.student: person for person in self.roster.people} if self.roster else {}

    def of(self, places: Iterable[str], texts: bool = False) -> Iterator[Record]:
        """The existing records of some places."""
        for place in places:
            record = self.record(place, texts)
            if record is not None:
                yield record

    def places(self) -> Iterable[tuple[str, str]]:
        """Every place of the class, with its student."""
        return self.store.places() if self.store else self.whose.items()

    def unconfined(self) -> list[str]:
        """What was not confined where any of the class's work was judged, in sentences."""
        here = {sentence for record in self.memory.values() for sentence in record.unconfined}
        return sorted(here.union(self.store.unconfined() if self.store else ()))

    @property
    def roster(self) -> Roster | None:
        """The class list, if there is one."""
        return self.store.roster if self.store else None

    def missing(self) -> list[str]:
        """People on the class list who handed in nothing that is known to be theirs."""
        owners, roster = {student for _, student in self.places()}, self.roster
        return [person.student for person in roster.people if person.student not in owners] if roster else []

    @property
    def lacks_somebody(self) -> bool:
        """True if somebody on the class list handed in nothing, or something belongs to nobody."""
        strays = any(student == NOBODY for _, student in self.places())
        return self.roster is not None and (strays or bool(self.missing()))

    def strays(self) -> list[tuple[str, str]]:
        """Work that belongs to nobody: where it is, and why."""
        found = [self.record(place, False) for place, student in self.places() if student == NOBODY]
        return [(each.place, each.obstacle) for each in found if each and each.obstacle]

    def students(self, texts: bool = False) -> Iterator[tuple[str, list[Record]]]:
        """Each student with all their records; only one student at a time is in memory.

        By name, or in the order of the class list, including those without a record. Work of nobody is left out.
        """
        self.forget()
        for student in self.in_order():
            records = list(self.of(self.by_student.get(student, ()), texts))
            if student != NOBODY and (records or student in self.people):
                yield student, self.ruling(student, records)

    def in_order(self) -> list[str]:
        """The students by name, or in the order of the class list, and behind them those who are not on it."""
        return list(dict.fromkeys([*self.people, *sorted(self.by_student, key=by_name)]))

    def forget(self) -> None:
        """Ask the store again whose everything is: another grading may have added to it."""
        for name in ("assigned", "owners", "by_student", "people"):
            self.__dict__.pop(name, None)

    def summary(self) -> Summary:
        """The summary of the grading."""
        made = Summary()
        for record in self.records():
            made.add(record)
        return made


def exercise_of(each: HandedIn) -> int:
    """The number of the exercise that something was handed in for, by the names; 0 if they do not say."""
    return max((known.number for known in chapters() if known.name in (each.assignment or each.place)), default=0)


@dataclasses.dataclass
class Summary:
    """The summary of a grading. `unconfined` says what was not confined where something was judged."""

    records: int = 0
    skipped: int = 0
    good: int = 0
    faults: list[str] = dataclasses.field(default_factory=list)
    seeds: set[int] = dataclasses.field(default_factory=set)  # with which the numbers of some check were drawn
    unconfined: list[str] = dataclasses.field(default_factory=list)

    def add(self, record: Record) -> None:
        """Count a record."""
        self.records += 1
        self.skipped += bool(record.skipped) or not record.counts
        self.good += record.passed and record.counts
        self.seeds |= {record.seed} if record.seed is not None else set()
        self.faults += [record.place] if record.fault else []
        self.unconfined = sorted({*self.unconfined, *record.unconfined})

    @property
    def status(self) -> int:
        """The exit status: 0 if everything passes, 3 if the grading itself failed somewhere."""
        if self.faults:
            return 3
        return 0 if self.good and self.good == self.records - self.skipped else 1


# --- files ---------------------------------------------------------------------------------------


def write_views(book: Gradebook, folder: Path, views: Sequence[str], remarks: Sequence[str] = ()) -> list[Path]:
    """Write the views of the whole class into a folder; the files to look at first.

    One grading at a time, so that the last to write has seen what the others have kept.
    """
    with FileLock(folder / LOCK):
        return written(book, folder, views, remarks)


def written(book: Gradebook, folder: Path, views: Sequence[str], remarks: Sequence[str]) -> list[Path]:
    """The same, when nobody else is writing."""
    from minigrad_course.grading.report import views as texts  # not needed when grading a single file

    unconfined, strays = book.unconfined(), book.strays()
    book.forget()
    makers: dict[str, Callable[[Together], str | Iterable[str]]] = {
        "csv": lambda _: texts.MARK + texts.as_csv(book.students(), book.roster, strays),
        "json": lambda _: texts.as_json(book.all_records(), unconfined, remarks, book.students()),
        "junit": lambda _: texts.as_junit(book.all_records()),
        "html": lambda together: write_pages(book, folder, unconfined, remarks, strays, together),
    }
    current = {file_name(student) for student in (*book.people, *book.by_student)}
    pages = folder / texts.FOLDER
    clear([*(folder / f"{name}.part" for name in VIEWS.values()), *pages.glob("*.html.part")])
    with Together() as together:
        for view in views:
            together.write(folder / VIEWS[view], makers[view](together))
    for page in pages.glob("*.html"):
        # some file systems take names apart: "é" comes back as two characters
        if unicodedata.normalize("NFC", page.name) not in current and texts.is_page(page.name):
            page.unlink()  # of a student who is gone
    return [folder / VIEWS[view] for view in views]


def write_pages(
    book: Gradebook,
    folder: Path,
    unconfined: list[str],
    remarks: Sequence[str],
    strays: Sequence[tuple[str, str]],
    together: Together,
) -> str:
    """Write the students' pages; returns the text of the class page."""
    from minigrad_course.grading.book import similar
    from minigrad_course.grading.collect.owners import possible
    from minigrad_course.grading.report import pages
    from minigrad_course.grading.report.views import FOLDER

    folder_of_pages = folder / FOLDER
    folder_of_pages.mkdir(exist_ok=True)
    whole, answers = pages.Class(book.assigned), similar.Answers(book.record)
    for student, records in book.students(texts=True):
        doubts = (
            [] if any(not each.missing for each in records) else [why for _, why in strays if student in possible(why)]
        )
        together.write(folder_of_pages / file_name(student), pages.student_page(student, records, doubts))
        whole.add(student, records)
        for record in counted(each for each in records if each.is_judged):
            answers.add(record)
    for place, why in strays:
        whole.remark("nobody", place, why)
    return pages.class_page(whole, answers.rings(), answers.same_as_ours(), unconfined, remarks, answers.left_out)


class Together:
    """Files that change together, or not at all; a context manager.

    Each is written whole beside its place first. They are put there when all of them are: a disk that fills up before
    that leaves the old ones as they were.
    """

    def __init__(self) -> None:
        self.places: dict[Path, Path] = {}  # of each file that waits, where it belongs

    def __enter__(self) -> Together:
        return self

    def write(self, path: Path, text: str | Iterable[str]) -> None:
        """Write a file, which waits until all are written. OSError, with its name, if that is not possible."""
        pieces = [text] if isinstance(text, str) else text
        device = path.exists() and not path.is_file()  # as /dev/stdout
        part = path if device else path.with_name(f"{path.name}.part")
        if not device:
            self.places[part] = path
        options: dict[str, Any] = {"encoding": "utf-8", "errors": "backslashreplace", "newline": ""}
        try:
            with part.open("w", **options) as file:
                file.writelines(pieces)
                if not device:
                    file.flush()
                    os.fsync(file.fileno())  # some systems say only now that there is no room
        except OSError as error:
            error.filename = error.filename or str(path)  # a full disk names no file
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with uninterrupted():
            try:
                for part in list(self.places) if kind is None else ():
                    os.replace(part, self.places.pop(part))
            finally:
                clear(self.places)


def clear(paths: Iterable[Path]) -> None:
    """Delete files that were left by a writing that did not end."""
    for path in paths:
        with contextlib.suppress(OSError):
            path.unlink()


def write(path: Path, text: str | Iterable[str]) -> None:
    """Write a file atomically: readers see either the old or the new version."""
    with Together() as together:
        together.write(path, text)
