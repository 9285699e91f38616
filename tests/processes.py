"""The processes of a run of the tests: all of them, wherever they have gone, and how they are ended."""

from __future__ import annotations

import contextlib
import os
import uuid
from collections.abc import Iterable

import psutil

# Who starts a run adds its own name to it, and whatever the run starts inherits that.
MARK = "MINIGRAD_TEST_RUN"


def mark() -> None:
    """Mark whatever this process starts from now on as part of its run."""
    os.environ[MARK] = f"{os.environ.get(MARK, '')}/{uuid.uuid4().hex}"


def descendants() -> set[psutil.Process]:
    """What this process has started, and what that has started, as long as the ones between are alive."""
    return set(psutil.Process().children(recursive=True))


def of_this_run() -> set[psutil.Process]:
    """The descendants, and those whose parents have ended: by the mark they were started with."""
    found = descendants()
    own = os.environ[MARK]
    for process in psutil.process_iter():
        # another user's, or ended meanwhile
        with contextlib.suppress(psutil.Error, OSError):
            if process.pid != os.getpid() and process.environ().get(MARK, "").startswith(own):
                found |= {process, *process.children(recursive=True)}
    return found


def orphans() -> set[psutil.Process]:
    """Those of this run whose parents have ended."""
    return of_this_run() - descendants()


def end(processes: Iterable[psutil.Process], patience: float = 2.0) -> list[str]:
    """Ask processes to end, kill them after some seconds, and return the commands of those that were running."""
    running = []
    for process in processes:
        with contextlib.suppress(psutil.Error):
            if process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
                running.append((process, command_of(process)))
                process.terminate()
    _, stubborn = psutil.wait_procs([process for process, _ in running], patience)
    for process in stubborn:
        with contextlib.suppress(psutil.Error):
            process.kill()
    psutil.wait_procs(stubborn, patience)
    return [command for _, command in running]


def command_of(process: psutil.Process) -> str:
    """The command of a process in at most 200 characters, or its name."""
    with contextlib.suppress(psutil.Error):
        words = " ".join(process.cmdline()) or process.name()
        return words if len(words) <= 200 else words[:199] + "…"
    return f"process {process.pid}"
