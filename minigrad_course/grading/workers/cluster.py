"""Judging on a Dask cluster: the same tasks, the same sessions, on other machines.

Each thread of a Dask worker keeps its own judging process, because pytest, time limits and captured output belong
to a whole process. If a worker is lost, Dask gives its task to another one.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from typing import TypeVar

from minigrad_course.grading.records.record import Record, Settings, Task
from minigrad_course.grading.workers.pool import AHEAD, MOST_LOSSES, References, Texts, judged, processes, unconfined

CONNECT_SECONDS = 10
Given = TypeVar("Given")

_mine = threading.local()  # this thread's judging process, and the settings it was started with


class NoCluster(Exception):
    """The cluster cannot be used; the message says why and what to do."""


class Cluster:
    """The workers of a Dask cluster."""

    def __init__(self, settings: Settings, address: str):
        try:
            from distributed import Client
            from distributed.security import Security
        except ImportError:
            raise NoCluster(
                "--dask needs Dask, which comes with the extra `dask`; in a clone: pip install -e '.[dask]'."
            ) from None
        if address.startswith("tls:") and not Security().get_connection_args("client")["ssl_context"]:
            raise NoCluster(
                f"--dask {address}: a scheduler with TLS lets in only who has a certificate, and Dask's configuration "
                "names none here; docs/platforms.md says how."
            )
        try:
            self.client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError, RuntimeError) as error:  # a time-out is an OSError
            raise NoCluster(f"--dask {address}: no scheduler answers there ({type(error).__name__}).") from None
        threads = sum(self.client.nthreads().values())
        if not threads:
            self.client.close()
            raise NoCluster(f"--dask {address}: the scheduler has no workers; start some with: dask worker {address}")
        self.settings = settings
        self.references = References(settings.seed)
        self.width = AHEAD * threads
        self.executor = self.client.get_executor(pure=False)

    def begin(self, tasks: Sequence[Task]) -> None:
        """Nothing: what has run early would travel twice."""

    def submit(self, task: Task) -> Future[Record]:
        """Have a task judged. The settings are sent along, so that workers that join late have them as well."""
        return self.executor.submit(judged_in_child, self.settings, task, self.references.of(task))

    def unconfined(self) -> list[str]:
        """What is not confined on one of the machines; the others find out for themselves."""
        result: list[str] = self.executor.submit(unconfined_in_child, self.settings).result()
        return result

    def close(self) -> None:
        """Cancel unfinished tasks, and leave the cluster as it was."""
        self.executor.shutdown(wait=False)
        self.client.close()


# --- in a Dask worker ----------------------------------------------------------------------------


def judged_in_child(settings: Settings, task: Task, references: Texts) -> Record:
    """Judge a task in this thread's own process."""
    return in_child(settings, judged, task, references)


def unconfined_in_child(settings: Settings) -> list[str]:
    """What is not confined in this thread's own process."""
    return in_child(settings, unconfined)


def in_child(settings: Settings, work: Callable[..., Given], *args: object) -> Given:
    """Have this thread's own process work; a lost process is replaced."""
    losses = 0
    while True:
        try:
            with may_have_children():
                future = child(settings).submit(work, *args)
            return future.result()
        except BrokenExecutor:
            del _mine.child
            losses += 1
            if losses == MOST_LOSSES:
                raise


def child(settings: Settings) -> ProcessPoolExecutor:
    """This thread's judging process; a new one if the settings change."""
    before = getattr(_mine, "child", None)
    if before is None or before[0] != settings:
        if before is not None:
            before[1].shutdown(wait=False)
        before = _mine.child = settings, processes(settings, 1)
    return before[1]


@contextlib.contextmanager
def may_have_children() -> Iterator[None]:
    """Let a worker under Dask's nanny start processes.

    multiprocessing forbids it, because they might outlive their parent; ours end with it (`pool.end_with_parent`).
    """
    config = multiprocessing.current_process()._config  # type: ignore[attr-defined]
    before = config.get("daemon")
    config["daemon"] = False
    try:
        yield
    finally:
        config["daemon"] = before
