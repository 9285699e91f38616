"""Run a command for so many minutes at most, and leave nothing of it running: python tests/limit.py MINUTES COMMAND…

Its status is that of the command, or 124 if the limit ended it. coreutils' `timeout` is not on macOS, and ends only
those of a process group; servers, kernels and sandboxes are in groups of their own.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from typing import NoReturn

import processes
import psutil

ENDED_BY_LIMIT = 124
GRACE = 40.0  # seconds in which pytest stops its workers and says what failed until then
BETWEEN = ("make", "gmake", "sh", "bash", "dash")


class Terminated(Exception):
    """Somebody asked this process to end."""


def terminated(*_: object) -> NoReturn:
    """Handle SIGTERM."""
    raise Terminated


def watch(seen: set[psutil.Process], done: threading.Event) -> None:
    """Remember every process of the command; one with an environment of its own can only be found before it is lost."""
    while not done.wait(1.0):
        current = processes.descendants()
        seen.intersection_update({process for process in seen if process.is_running()})
        seen.update(current)


def steps(process: psutil.Process) -> list[str]:
    """The commands that make is running, or the command itself."""
    try:
        if process.name() in BETWEEN:
            return [step for child in process.children() for step in steps(child)]
    except psutil.Error:
        return []
    return [processes.command_of(process)]


def wait(command: subprocess.Popen[bytes], seconds: float) -> bool:
    """True if the command has ended within some seconds."""
    try:
        command.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


def stop(command: subprocess.Popen[bytes], reason: str) -> None:
    """Say what is running, and let it end in good order, if it can."""
    running = "".join(f"\n    {step}" for step in steps(psutil.Process(command.pid))) or " none"
    print(f"\nThe tests are stopped: {reason}\nRunning were:{running}", file=sys.stderr, flush=True)
    command.terminate()
    wait(command, GRACE)


def run(minutes: float, words: list[str]) -> int:
    """Run a command, end it after some minutes, and return its status."""
    processes.mark()
    signal.signal(signal.SIGTERM, terminated)
    seen: set[psutil.Process] = set()
    done = threading.Event()
    watcher = threading.Thread(target=watch, args=(seen, done), daemon=True)
    command = subprocess.Popen(words, close_fds=False)  # make hands its jobs on in open files
    watcher.start()
    status = None
    try:
        if not wait(command, 60 * minutes):
            status = ENDED_BY_LIMIT
            longer = f"If they are only slow here, give them longer: make test LIMIT={max(1, round(2 * minutes))}"
            stop(command, f"they had not ended after {minutes:g} minutes. {longer}")
    except KeyboardInterrupt:  # a terminal has told the command as well
        status = 128 + signal.SIGINT
        wait(command, GRACE)
    except Terminated:
        status = 128 + signal.SIGTERM
        stop(command, "this process was told to end.")
    done.set()
    watcher.join()
    time.sleep(0.2)  # what was told to end with its parent has ended by now
    left = processes.end(seen | processes.of_this_run())
    if left and status is None:
        print("Still running after the tests, and ended now:", *sorted(left), sep="\n    ", file=sys.stderr, flush=True)
    code = command.wait()
    return status if status is not None else code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(run(float(sys.argv[1]), sys.argv[2:]))
