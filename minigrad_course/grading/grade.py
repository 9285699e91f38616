"""One grading from end to end: which submissions to judge, what to keep, and what to write.

Every room is called from here or by the command, and none calls another: what one gives is plain data for the next.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from minigrad_course.checks.reference import is_torch_here
from minigrad_course.grading.book.gradebook import Gradebook
from minigrad_course.grading.judge.judge import Early, recognised
from minigrad_course.grading.people.names import possible
from minigrad_course.grading.records.record import (
    NOBODY,
    VIEWS,
    HandedIn,
    NotGraded,
    Record,
    Settings,
    Task,
    kept,
    seed_of,
)
from minigrad_course.grading.records.standings import counted, file_name
from minigrad_course.grading.workers.pool import MOST_LOSSES
from minigrad_course.parts import chapters
from minigrad_course.texts.submitted import Unreadable, code_cells, loaded

if TYPE_CHECKING:
    from minigrad_course.grading.report.files import Together

LOCK = ".writing"
FEW = 3  # submissions that take less time than starting workers
MOST_EARLY = 20  # submissions that workers begin with while torch is imported
MOST_HELD = 200  # submissions that wait for another one of the same student, before no more are read
LEAST_SECONDS = 15.0  # that a submission gets, however long the student's others took,
MOST_LATE = 5  # but so many of them only


class SpentSeed(Exception):
    """Somebody may have seen the numbers of this grading; the message says what to do."""


def judge(book: Gradebook, hire: Callable[[bool], Crew], again: bool, done: Callable[[Record | None], None]) -> None:
    """Judge what needs judging, and keep it; `done` is called for each submission, with None for one kept already.

    `hire` gives who judges, asked with whether they are few. SpentSeed if the numbers would be ones that a page has
    shown.
    """
    tasks = tasks_of(book, again, done)
    beginning = [list(itertools.islice(tasks, MOST_EARLY))]  # emptied, so that no notebook is held to the end
    few = len(beginning[0]) <= FEW

    def hired() -> Crew:
        crew = hire(few)
        try:
            crew.begin(beginning.pop() if beginning else ())
        except BaseException:  # Ctrl-C, for instance
            crew.close()
            raise
        return crew

    def keep(record: Record) -> None:
        book.keep(record)
        done(record)

    judge_all(itertools.chain(beginning[0], tasks), hired, keep, book.settings.submission_seconds)


def tasks_of(book: Gradebook, again: bool, done: Callable[[Record | None], None]) -> Iterator[Task]:
    """The submissions to judge, each read when its turn comes. Unreadable ones are recorded immediately.

    One exercise after the other, as far as names tell: a worker has the engines of one at a time.
    """
    attempts = Attempts(book.whose.values())
    for item in sorted(book.handed_in, key=exercise_of):
        obstacle = None
        try:
            content = item.read()
        except Unreadable as error:
            obstacle, content = error, str(error).encode("utf-8", "backslashreplace")
        seed = seed_of(book.settings.seed, attempts.before(item.student, content))
        task = Task(item.place, item.student, item.assignment, content, seed=seed)
        if book.has(task, again):
            book.unchanged += not isinstance(obstacle, NotGraded)
            done(None)
        elif obstacle is None:
            demand_fresh(book, task)
            yield task
        else:
            skipped = str(obstacle) if isinstance(obstacle, NotGraded) else None
            sentence = None if skipped else str(obstacle)
            record = Record(item.place, item.student, task.exercise or None, sentence, skipped=skipped)
            book.keep(record)
            done(record)


@dataclasses.dataclass
class Attempts:
    """How often somebody has handed in an exercise, as far as files have been read. `whose` are the owners of all."""

    whose: dataclasses.InitVar[Iterable[str]]

    def __post_init__(self, whose: Iterable[str]) -> None:
        self.files = Counter(whose)
        self.met: Counter[tuple[str, str]] = Counter()

    def before(self, student: str, content: bytes) -> int:
        """How many of the files before are the same student's, and the same exercise."""
        if student == NOBODY or self.files[student] == 1:
            return 0
        try:
            notebook = loaded(content)
            exercise = recognised(notebook, code_cells(notebook), []).name
        except Unreadable:  # no numbers are drawn for it
            return 0
        self.met[student, exercise] += 1
        return self.met[student, exercise] - 1


def demand_fresh(book: Gradebook, task: Task) -> None:
    """SpentSeed if pages show the numbers of a task."""
    if book.store and book.shows(task):
        raise SpentSeed(
            f"{task.place} has to be judged, but the pages in {book.store.path.parent} already show the numbers of "
            f"seed {book.settings.seed}. Omit --seed to draw new ones, or repeat that grading in a separate "
            "folder: --to ANOTHER_FOLDER."
        )


def exercise_of(item: HandedIn) -> int:
    """The number of the exercise that something was handed in for, by the names; 0 if they do not say."""
    return max((known.number for known in chapters() if known.name in (item.assignment or item.place)), default=0)


# --- who judges -----------------------------------------------------------------------------------


class Crew(Protocol):
    """Something that judges tasks, and can be replaced if it breaks."""

    width: int

    def begin(self, tasks: Sequence[Task]) -> None:
        """Have the first tasks, which will be submitted, run as far as that needs no torch, while it is imported."""

    def submit(self, task: Task) -> Future[Record]:
        """Have a task judged."""

    def unconfined(self) -> list[str]:
        """What is not confined where it is judged, in sentences. RuntimeError if nothing can be judged there."""

    def close(self) -> None:
        """End the workers without waiting for their current tasks."""


class Alone:
    """No worker: the calling process judges. The quickest for a few submissions."""

    width = 1

    def __init__(self, settings: Settings):
        from minigrad_course.grading.judge.nbval import Session  # here, because pytest and nbval take a while

        self.session = Session(settings)
        self.early: dict[str, dict[str, Early]] = {}  # by place

    def begin(self, tasks: Sequence[Task]) -> None:
        for task in tasks:
            if not is_torch_here():
                self.early[task.place] = self.session.early(task)

    def submit(self, task: Task) -> Future[Record]:
        future: Future[Record] = Future()
        future.set_result(self.session.record(task, early=self.early.pop(task.place, {})))
        return future

    def unconfined(self) -> list[str]:
        return self.session.judge.sandbox.unconfined

    def close(self) -> None:
        self.session.close()


class Line:
    """The waiting tasks. Only one per student runs at a time, and all of a student's work shares one time limit.

    So six notebooks that hang cost little more than one, and do not delay anybody else.
    """

    def __init__(self, tasks: Iterable[Task], seconds: float):
        self.coming = iter(tasks)
        self.left: dict[str, float] = {}
        self.seconds = seconds
        self.late: Counter[str] = Counter()
        self.held: list[Task] = []

    def next(self, out: Collection[str]) -> Task | None:
        """The next task of a student who has none running; None if there is none at the moment."""
        for place, task in enumerate(self.held):
            if task.student not in out:
                return self.timed(self.held.pop(place))
        for task in itertools.islice(self.coming, MOST_HELD - len(self.held)):
            if task.student not in out:
                return self.timed(task)
            self.held.append(task)
        return None

    def timed(self, task: Task) -> Task:
        """The task with the time that is left for it."""
        left, least = self.left.get(task.student, self.seconds), min(LEAST_SECONDS, self.seconds)
        self.late[task.student] += left < least
        return dataclasses.replace(task, seconds=max(left, least if self.late[task.student] <= MOST_LATE else 0.0))

    def ended(self, record: Record) -> None:
        """Note how long a task took."""
        self.left[record.student] = self.left.get(record.student, self.seconds) - record.seconds


def judge_all(
    tasks: Iterable[Task], hire: Callable[[], Crew], done: Callable[[Record], None], seconds: float = math.inf
) -> None:
    """Judge all tasks, and pass each record to `done` as soon as it exists, in any order.

    One student's work may take `seconds` in total, with a little extra for what comes after that.
    A broken crew is replaced. What it had in hand is then judged one by one, so that a submission which breaks it
    again is found out, and gets a record with a fault. After a Ctrl-C what is finished is still handed over, and
    KeyboardInterrupt raised; a record may then be handed over twice.
    """
    line = Line(tasks, seconds)
    suspects: list[Task] = []
    losses: Counter[str] = Counter()
    waiting: dict[Future[Record], Task] = {}
    crew: Crew | None = None
    try:
        while True:
            broken = False
            careful = bool(suspects) or any(losses[task.place] for task in waiting.values())
            while not broken and (not crew or len(waiting) < (1 if careful else crew.width)):
                task = suspects.pop() if suspects else line.next({task.student for task in waiting.values()})
                if task is None:
                    break
                crew = crew or hire()  # not before there is work
                try:
                    waiting[crew.submit(task)] = task
                except BrokenExecutor:
                    suspects.append(task)
                    broken = True
            if not waiting and not broken:
                return
            for future in wait(waiting, return_when=FIRST_COMPLETED).done if waiting else ():
                error = future.exception()
                if isinstance(error, BrokenExecutor):
                    broken = True
                else:
                    ended = waiting.pop(future)
                    record = fault(ended, f"{type(error).__name__}: {error}") if error else future.result()
                    line.ended(record)
                    done(record)
            if broken and crew:
                for task in waiting.values():
                    losses[task.place] += 1
                    if losses[task.place] < MOST_LOSSES:
                        suspects.append(task)
                    else:
                        done(fault(task, f"the process that judged it was lost {MOST_LOSSES} times."))
                waiting.clear()
                crew.close()
                crew = None
    except KeyboardInterrupt:
        for future in waiting:
            if future.done() and not future.cancelled() and not future.exception():
                done(future.result())
        raise
    finally:
        if crew:
            crew.close()


def fault(task: Task, sentence: str) -> Record:
    """The record of a submission that could not be judged, through no fault of the submission."""
    return Record(task.place, task.student, task.assignment or None, fault=kept(sentence))


# --- files ---------------------------------------------------------------------------------------


def write_views(book: Gradebook, folder: Path, views: Sequence[str], remarks: Sequence[str] = ()) -> list[Path]:
    """Write the views of the whole class into a folder; the files to look at first.

    One grading at a time, so that the last to write has seen what the others have kept.
    """
    from filelock import FileLock  # not needed when grading a single file

    with FileLock(folder / LOCK):
        return written(book, folder, views, remarks)


def written(book: Gradebook, folder: Path, views: Sequence[str], remarks: Sequence[str]) -> list[Path]:
    """The same, when nobody else is writing."""
    from minigrad_course.grading.report import views as texts
    from minigrad_course.grading.report.files import Together, clear

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
    from minigrad_course.grading.report import pages
    from minigrad_course.grading.report.views import FOLDER

    folder_of_pages = folder / FOLDER
    folder_of_pages.mkdir(exist_ok=True)
    whole, answers = pages.Class(book.assigned), similar.Answers(book.record)
    for student, records in book.students(texts=True):
        doubts = (
            []
            if any(not record.missing for record in records)
            else [why for _, why in strays if student in possible(why)]
        )
        together.write(folder_of_pages / file_name(student), pages.student_page(student, records, doubts))
        whole.add(student, records)
        for record in counted(record for record in records if record.is_judged):
            answers.add(record)
    for place, why in strays:
        whole.remark("nobody", place, why)
    return pages.class_page(whole, answers.rings(), answers.same_as_ours(), unconfined, remarks, answers.left_out)
