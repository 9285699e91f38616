"""The workers that judge: any `concurrent.futures.Executor`, each worker with its own warm session.

A worker needs no torch: the references are recorded once, by the process that hands out the work, while the workers
load their engines. Losing a worker only costs time: the work it had in hand is judged again, and nothing else.
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import itertools
import math
import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from typing import TYPE_CHECKING, Any, Protocol

from minigrad_course.checks.reference import standing_in
from minigrad_course.grading.judge.judge import Judge
from minigrad_course.grading.records.record import Record, kept
from minigrad_course.grading.records.work import Settings, Task
from minigrad_course.grading.workers.start import context, start_importing
from minigrad_course.parts import Chapter, chapter_named, chapters
from minigrad_course.programs import process
from minigrad_course.programs.process import uninterrupted

if TYPE_CHECKING:
    from minigrad_course.grading.judge.nbval import Session

SESSION = "minigrad_course.grading.judge.nbval"  # imported where it judges: pytest and nbval take a while
MOST_LOSSES = 3  # of the process that judges a submission, before that counts as the submission's doing
AHEAD = 3  # submissions handed out for each worker, so that none waits for the next
MOST_HELD = 200  # submissions that wait for another one of the same student, before no more are read
LEAST_SECONDS = 15.0  # that a submission gets, however long the student's others took,
MOST_LATE = 5  # but so many of them only

Texts = Mapping[tuple[str, str], str]  # chapter and check: what torch prints

_session: Session | None = None  # of this process, if it is a worker


class Crew(Protocol):
    """Something that judges tasks, and can be replaced if it breaks."""

    width: int

    def submit(self, task: Task) -> Future[Record]:
        """Have a task judged."""

    def unconfined(self) -> list[str]:
        """What is not confined where it is judged, in sentences. RuntimeError if nothing can be judged there."""

    def close(self) -> None:
        """End the workers without waiting for their current tasks."""


# --- in a worker ---------------------------------------------------------------------------------


def start(settings: Settings) -> None:
    """Make this process a worker: it leaves Ctrl-C to the process that started it, and ends when that one does."""
    global _session
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _session = new_session(settings, own=True)
    threading.Thread(target=end_with_parent, daemon=True).start()


def new_session(settings: Settings, own: bool) -> Session:
    """A session of this process. `own`: nothing else runs in it, now or later."""
    session: Session = imported(own).Session(settings)
    return session


class Unused:
    """Stands for a class that nobody uses."""

    def __init__(self, *_: object):
        """Whatever it gets."""


# what judging asks neither nbval nor nbformat for: kernels, coverage, and what is wrong with a notebook
NOT_FOR_JUDGING: dict[str, dict[str, object]] = {
    "nbval.kernel": {"RunningKernel": Unused, "CURRENT_ENV_KERNEL_NAME": ""},
    "nbval.cover": {"setup_coverage": None, "teardown_coverage": None},
    "jsonschema": {"Draft4Validator": Unused},
    "jsonschema.exceptions": {"ErrorTree": Unused, "ValidationError": ValueError},
}


def imported(own: bool) -> Any:
    """The module that judges; in a process of our own imported in a third of the time, without what it does not use."""
    with standing_in(NOT_FOR_JUDGING) if own else contextlib.nullcontext():
        return importlib.import_module(SESSION)


def end_with_parent() -> None:
    """End this process when its parent has ended, however it did; the sandbox's processes then end by themselves."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)


def judged(task: Task, references: Texts) -> Record:
    """Judge a task with this worker's session."""
    assert _session is not None
    return _session.record(task, references)


def unconfined() -> list[str]:
    """What is not confined in this worker's session."""
    assert _session is not None
    return _session.judge.sandbox.unconfined


def get_ready(name: str) -> None:
    """Load the engines of a chapter's checks into this worker's session."""
    chapter = chapter_named(name)
    if _session is not None and chapter is not None:
        _session.judge.prepare(chapter)


# --- crews ---------------------------------------------------------------------------------------


class Alone:
    """No worker: the calling process judges. The quickest for a few submissions."""

    width = 1

    def __init__(self, settings: Settings):
        self.session = new_session(settings, process.own)

    def submit(self, task: Task) -> Future[Record]:
        future: Future[Record] = Future()
        future.set_result(self.session.record(task))
        return future

    def unconfined(self) -> list[str]:
        return self.session.judge.sandbox.unconfined

    def close(self) -> None:
        self.session.close()


class Local:
    """Worker processes on this machine."""

    def __init__(self, settings: Settings, workers: int):
        self.width = workers * AHEAD
        self.workers = workers
        self.references = References(settings.seed)
        self.executor: Executor = processes(settings, workers)
        self.begun = False

    def submit(self, task: Task) -> Future[Record]:
        for chapter in chapters_in(task) if not self.begun else ():
            self.begun = True
            for _ in range(self.workers):  # they do it while torch is loaded here, and the references are recorded
                with uninterrupted():  # a worker that is half started is nobody's to end
                    self.executor.submit(get_ready, chapter.name)
        references = self.references.of(task)
        with uninterrupted():
            return self.executor.submit(judged, task, references)

    def unconfined(self) -> list[str]:
        with uninterrupted():
            future = self.executor.submit(unconfined)
        return future.result()

    def close(self) -> None:
        before = multiprocessing.active_children()
        self.executor.shutdown(wait=False, cancel_futures=True)
        for item in before:
            item.terminate()
        for item in before:
            item.join()


def processes(settings: Settings, workers: int) -> ProcessPoolExecutor:
    """Worker processes, each started fresh: nothing of this process is in them, torch least of all."""
    start_importing()
    return ProcessPoolExecutor(workers, mp_context=context(), initializer=start, initargs=(settings,))


# --- all tasks -----------------------------------------------------------------------------------


class References:
    """What torch prints for the checks of the chapters that submissions name, recorded when one is first met."""

    def __init__(self, seed: int):
        self.seed = seed
        self.judge = Judge(seed)

    def of(self, task: Task) -> Texts:
        """The references that a submission needs."""
        self.judge.seed = self.seed if task.seed is None else task.seed
        return {key: text for chapter in chapters_in(task) for key, text in self.judge.references(chapter).items()}


def chapters_in(task: Task) -> list[Chapter]:
    """The chapters that a submission names: its own, and perhaps others."""
    return [chapter for chapter in chapters() if chapter.name.encode() in task.content]


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
