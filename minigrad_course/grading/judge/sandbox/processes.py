"""The worker's processes, from the side that can be trusted: started, asked, and ended."""

from __future__ import annotations

import contextlib
import importlib.util
import marshal
import math
import os
import signal
import socket
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from minigrad.compat import versions
from minigrad_course.grading.judge.sandbox import worker
from minigrad_course.grading.judge.sandbox.conversation import answer, frame, read_answer, read_exactly
from minigrad_course.grading.judge.sandbox.links import Links
from minigrad_course.grading.judge.sandbox.outcomes import End, as_object

LONGEST_JOB = 8_000_000  # bytes of JSON
LONGEST_STATUS = 1_000  # bytes of JSON
START_SECONDS, LOAD_SECONDS, CONTROL_SECONDS = 60.0, 30.0, 3.0
# what the system's loader may need to start Python; no home, no tokens
KEPT_ENVIRONMENT = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT")
ONE_THREAD = (
    "OPENBLAS_NUM_THREADS",
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)


class WorkerLost(Exception):
    """The worker's own processes do not answer."""


class Root:
    """The worker's first process, from which templates are forked. It starts while others do something else."""

    def __init__(self, layers: Sequence[str]) -> None:
        self.unconfined: list[str] | None = None  # nobody knows yet
        self.control, there = socket.socketpair()
        self.links = links()
        with there:
            self.process = start_worker("fork", layers, self.links, stdin=there, stdout=subprocess.DEVNULL)

    def load(self, shared: dict[str, Any]) -> None:
        """Give it the shared modules, and wait until it has tried its confinement."""
        with self.links:
            ready = answer(self.control, frame(marshal.dumps(shared)), LONGEST_JOB, START_SECONDS)
        fields = as_object(ready.body) or {"fault": "it does not answer"}
        if fields.get("fault"):
            self.kill()
            raise RuntimeError(f"The grader's worker did not start: {fields['fault']}")
        self.unconfined = [str(one) for one in fields["unconfined"]]

    def new_template(self, setup: dict[str, Any]) -> Template:
        """Fork a template and have it load the engine; do not wait for that."""
        here, there = socket.socketpair()
        try:
            with there:
                socket.send_fds(self.control, [worker.NEW_TEMPLATE], [there.fileno()])
            here.settimeout(LOAD_SECONDS)
            here.sendall(frame(marshal.dumps(setup)))
        except OSError as error:
            here.close()
            raise WorkerLost(str(error)) from None
        return Template(here)

    def close(self) -> None:
        """Let it end on its own; the templates follow when their sockets close."""
        self.links.close()
        self.control.close()
        try:
            self.process.wait(CONTROL_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self) -> None:
        """End it and all templates, which share its process group."""
        self.links.close()
        if self.process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self.control.close()


class Template:
    """A process that holds one stripped engine and forks a child for each job, before the job is there."""

    def __init__(self, control: socket.socket) -> None:
        self.control = control
        self.loaded = False  # the template has yet to say so
        self.child = 0  # its process, while it has a job
        self.waiting: socket.socket | None = None  # the line to a child that was asked for
        self.dismissed = False  # the child before: the template has yet to say how it ended

    def prepare_child(self) -> None:
        """Ask for a child that confines itself and waits for a job; do not wait for it."""
        self.waiting, there = socket.socketpair()
        with there:
            try:
                self.control.settimeout(CONTROL_SECONDS)
                socket.send_fds(self.control, [worker.NEW_JOB], [there.fileno()])
            except OSError as error:
                if not self.loaded:
                    self.demand_loaded()  # it may have ended because the engine cannot be loaded, and has said so
                raise WorkerLost(str(error)) from None

    def take_child(self) -> socket.socket:
        """The line to the child in waiting, which is the caller's from now on."""
        if self.waiting is None:
            self.prepare_child()
        try:
            if not self.loaded:
                self.demand_loaded()
            self.control.settimeout(CONTROL_SECONDS)
            if self.dismissed:
                self.dismissed = False
                if read_answer(self.control.recv, LONGEST_STATUS).kind != "answer":
                    raise WorkerLost("a template does not answer")
            number = read_exactly(self.control.recv, 4)
        except OSError as error:
            raise WorkerLost(str(error)) from None
        if number is None:
            raise WorkerLost("a template ended")
        self.child = int.from_bytes(number, "big")
        line, self.waiting = self.waiting, None
        assert line is not None
        return line

    def demand_loaded(self) -> None:
        """Wait until the engine is loaded. Raises RuntimeError if it cannot be."""
        try:
            self.control.settimeout(LOAD_SECONDS)
            fields = as_object(read_answer(self.control.recv, LONGEST_STATUS).body)
        except OSError as error:
            raise WorkerLost(str(error)) from None
        if fields is None:
            raise WorkerLost("no template could be made")
        if fields.get("fault"):
            raise RuntimeError(f"The engine cannot be loaded: {fields['fault']}")
        self.loaded = True

    def end_child(self, patient: bool) -> dict[str, Any]:
        """End the child, after a moment if `patient`; return how it ended (`worker.end_child`)."""
        end = answer(self.control, worker.END_SOON if patient else worker.END_NOW, LONGEST_STATUS, CONTROL_SECONDS)
        self.child = 0
        status = as_object(end.body)
        if status is None:
            raise WorkerLost("a template does not answer")
        return status

    def dismiss_child(self) -> None:
        """Have the template end a child that has answered; do not wait for it."""
        try:
            self.control.sendall(worker.END_NOW)
        except OSError as error:
            raise WorkerLost(str(error)) from None
        self.child, self.dismissed = 0, True

    def kill_child(self) -> None:
        """End the child without the template's help; one in waiting ends with the template."""
        for kill in (os.killpg, os.kill) if self.child else ():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                kill(self.child, signal.SIGKILL)

    def close(self) -> None:
        """Let the template end on its own, together with the waiting child."""
        self.control.close()
        if self.waiting is not None:
            self.waiting.close()


def links() -> Links:
    """Links to all that a worker needs until it is ready. RuntimeError without numpy."""
    numpy = importlib.util.find_spec("numpy")
    if numpy is None or numpy.origin is None:
        raise RuntimeError("The grader's worker needs numpy, which is not installed.")
    return Links(Path(worker.__file__), Path(numpy.origin).parent.parent)


def start_worker(mode: str, layers: Sequence[str], made: Links, **streams: Any) -> subprocess.Popen[bytes]:
    """Run `worker.py` in a mode (see its `main`)."""
    environment = {name: os.environ[name] for name in KEPT_ENVIRONMENT if name in os.environ}
    environment[versions.VARIABLE] = versions.said  # torch itself is out of reach there
    return subprocess.Popen(
        # without `site`: nothing installed runs code or is found by name
        [
            *made.python,
            "-S",
            "-B",
            "-X",
            "utf8",
            str(made.worker),
            mode,
            str(made.packages),
            str(made.folder or ""),
            *layers,
        ],
        env=environment | made.environment | dict.fromkeys(ONE_THREAD, "1"),
        stderr=subprocess.DEVNULL,
        bufsize=0,
        start_new_session=True,
        **streams,
    )


def end_process(process: subprocess.Popen[bytes], patient: bool) -> dict[str, Any]:
    """End a process that serves one job; return how it ended, as `worker.end_child` does."""
    killed = False
    try:
        process.wait(0.2 if patient else 0.0)
    except subprocess.TimeoutExpired:
        killed = True
        if hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
        process.kill()
        process.wait()
    code = process.returncode
    # how much processor time it had, nobody knows: who was killed is taken to have used it up
    return {"signal": max(0, -code), "code": max(0, code), "processor": math.inf, "killed": killed}


def ask_once(process: subprocess.Popen[bytes], message: bytes, bound: int, seconds: float) -> End:
    """The same over pipes, which cannot wait with a limit everywhere: a thread waits."""
    assert process.stdin is not None and process.stdout is not None
    writing, reading = process.stdin.fileno(), process.stdout.fileno()
    ends: list[End] = []
    ended = threading.Event()  # `join`, interrupted by Ctrl-C, takes a thread for ended that goes on (Python 3.11)

    def talk() -> None:
        data = memoryview(frame(message))
        with contextlib.suppress(OSError):
            while data:
                data = data[os.write(writing, data) :]
        try:
            ends.append(read_answer(lambda count: os.read(reading, count), bound))
        except OSError:
            ends.append(End("closed"))
        ended.set()

    threading.Thread(target=talk, daemon=True).start()
    try:
        ended.wait(seconds)
    finally:  # after Ctrl-C too: the next process may get a pipe of the same number, and this thread would read from it
        late = not ended.is_set()
        if late:
            end_process(process, patient=False)  # the thread then reads the end of the pipe
            ended.wait()
    return End("time") if late else ends[0]
