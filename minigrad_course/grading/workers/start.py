"""How the processes of the workers come into being: apart from them, so that a command can begin with it at once."""

from __future__ import annotations

import multiprocessing
import signal
from typing import Any

FORKED = "minigrad_course.grading.workers.forked"


def context() -> Any:
    """How worker processes are started: forked from one that has done the imports, where the system can fork."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    made = multiprocessing.get_context("forkserver")
    made.set_forkserver_preload([FORKED])
    return made


def start_importing() -> None:
    """Begin with the imports of the workers to come, while this process does something else."""
    if context().get_start_method() == "forkserver":
        from multiprocessing import forkserver, resource_tracker  # which not every system has

        resource_tracker.ensure_running()  # would let Ctrl-C through again if the next had to start it
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:  # Ctrl-C comes to all processes of a terminal: what is started here keeps it blocked
            forkserver.ensure_running()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
