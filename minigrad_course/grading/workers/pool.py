"""The workers that judge: any `concurrent.futures.Executor`, each worker with its own warm session.

A worker needs no torch: the references are recorded once, by the process that hands out the work, while the workers
load their engines. Losing a worker only costs time: the work it had in hand is judged again, and nothing else.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from types import MappingProxyType
from typing import TYPE_CHECKING

from minigrad_course.checks.reference import is_torch_here
from minigrad_course.grading.judge.judge import Early, Judge
from minigrad_course.grading.records.record import Record, Settings, Task
from minigrad_course.grading.workers.start import context, start_importing
from minigrad_course.parts import Chapter, chapter_named, chapters
from minigrad_course.programs import process
from minigrad_course.programs.process import uninterrupted

if TYPE_CHECKING:
    from minigrad_course.grading.judge.nbval import Session

MOST_LOSSES = 3  # of the process that judges a submission, before that counts as the submission's doing
AHEAD = 3  # submissions handed out for each worker, so that none waits for the next

Texts = Mapping[tuple[str, str], str]  # chapter and check: what torch prints

_session: Session | None = None  # of this process, if it is a worker


# --- in a worker ---------------------------------------------------------------------------------


def start(settings: Settings) -> None:
    """Make this process a worker: it leaves Ctrl-C to the process that started it, and ends when that one does."""
    global _session
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    process.claim()
    from minigrad_course.grading.judge.nbval import Session  # here, because pytest and nbval take a while

    _session = Session(settings)
    threading.Thread(target=end_with_parent, daemon=True).start()


def end_with_parent() -> None:
    """End this process when its parent has ended, however it did; the sandbox's processes then end by themselves."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)


def early(task: Task) -> dict[str, Early]:
    """Run what of a task needs no reference with this worker's session."""
    assert _session is not None
    return _session.early(task)


def judged(task: Task, references: Texts, early: Mapping[str, Early] = MappingProxyType({})) -> Record:
    """Judge a task with this worker's session, and with what has run early."""
    assert _session is not None
    return _session.record(task, references, early)


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


class Local:
    """Worker processes on this machine."""

    def __init__(self, settings: Settings, workers: int):
        self.width = workers * AHEAD
        self.workers = workers
        self.references = References(settings.seed)
        self.executor: Executor = processes(settings, workers)
        self.begun = False
        self.early: dict[str, Future[dict[str, Early]]] = {}  # by place

    def begin(self, tasks: Sequence[Task]) -> None:
        if not is_torch_here():
            with contextlib.suppress(BrokenExecutor), uninterrupted():  # `submit` finds that out again
                self.early = {task.place: self.executor.submit(early, task) for task in tasks}

    def ran_early(self, task: Task) -> Mapping[str, Early]:
        """What has run of a task; nothing of it will any more."""
        future = self.early.pop(task.place, None)
        if future is None or future.cancel() or not future.done() or future.exception():
            return {}
        return future.result()

    def submit(self, task: Task) -> Future[Record]:
        for chapter in chapters_in(task) if not self.begun else ():
            self.begun = True
            for _ in range(self.workers):  # they do it while torch is loaded here, and the references are recorded
                with uninterrupted():  # a worker that is half started is nobody's to end
                    self.executor.submit(get_ready, chapter.name)
        references = self.references.of(task)
        with uninterrupted():
            return self.executor.submit(judged, task, references, self.ran_early(task))

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


# --- what they are handed -------------------------------------------------------------------------


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
