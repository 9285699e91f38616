"""Run a submission's code in a confined process, from the side that can be trusted.

The worker process (`worker.py`) does the running. This side chooses what the worker gets, keeps
the clock, reads the answer as text with a bound on its size, and ends what does not end by itself.
"""

from __future__ import annotations

import base64
import contextlib
import functools
import importlib.util
import json
import marshal
import math
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from minigrad.grading import confine
from minigrad.grading.strip import derivative_helpers, without, without_derivatives
from minigrad.grading.worker import PROGRAM, SourceFinder

WORKER = Path(__file__).with_name("worker.py")
# what a job may answer as its problem
ANSWERED_PROBLEMS = frozenset(
    {"missing", "unfinished", "answer", "cell", "program", "time", "output", "memory", "died"}
)
LONGEST_JOB = 8_000_000  # bytes of JSON
LONGEST_MESSAGE = 2_000  # characters
LONGEST_STATUS = 1_000  # bytes of JSON
MOST_KILLS = 3  # of one job by somebody else, before that is a fault of the machine
LEAST_WAIT = 0.01  # seconds that are worth waiting for once more
MOST_PATIENCE = 10  # times the time limit that a process may wait for a processor
START_SECONDS, LOAD_SECONDS, CONTROL_SECONDS = 60.0, 30.0, 3.0
MOST_TEMPLATES = 128  # a few megabytes each: more than the checks of all chapters
# what the system's loader may need to start Python; no home, no tokens
KEPT_ENVIRONMENT = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT")
ONE_THREAD = (
    "OPENBLAS_NUM_THREADS",
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)


@dataclass(frozen=True)
class Limits:
    """What one job may use.

    `seconds` by the clock, where the time in which a process waits for a processor does not count; `cpu_seconds` of
    processor time (whole seconds, rounded up); `cell_seconds` of processor time for an answer cell, or three times as
    long by the clock: a statement that hangs ends then, and must not use up the time of the others. `memory_mb` MiB
    beyond what Python with numpy takes, `output_bytes` of UTF-8 text.
    Raises ValueError unless all are above 0.
    """

    seconds: float = 10.0
    cpu_seconds: float = 10.0
    cell_seconds: float = 1.0
    memory_mb: float = 512.0
    output_bytes: int = 1_000_000

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not value > 0:
                raise ValueError(f"The limit {name} is {value}; it must be above 0.")


@dataclass(frozen=True)
class Outcome:
    """What one job came to.

    `text` is what the program printed, as far as it came. `problem` is None, or what went wrong:
    "missing", "unfinished", "answer", "cell" and "program" as the job itself found it, "time",
    "output" and "memory" for a limit, "died" for a process that gave no proper answer. `message`
    then says it in a sentence. The text and a job's own messages come from code nobody has read.
    """

    text: str
    problem: str | None = None
    message: str = ""


@dataclass(frozen=True)
class _Kind:
    """Which engine a job runs on: the parts it lacks, and the derivatives it has (None: all)."""

    parts: tuple[Mapping[str, Any], ...]
    derivatives: frozenset[str] | None

    @property
    def key(self) -> object:
        return frozenset((part["module"], part["attribute"]) for part in self.parts), self.derivatives


def _kind(leave_out: Iterable[Mapping[str, Any]], derivatives: Collection[str] | None) -> _Kind:
    return _Kind(tuple(leave_out), None if derivatives is None else frozenset(derivatives))


class WorkerLost(Exception):
    """The worker's own processes do not answer."""


class Sandbox:
    """Runs jobs one at a time on an engine without some of its parts; a context manager.

    `sources` are the engine's modules (see `strip.engine_sources`), `program_source` the text of
    the module that runs a job: it needs the standard library only and has
    `run_job(job, engine) -> {"text": str, "problem": None | {"kind": str, "message": str}}`, and
    `get_ready(engine, **known)` for what can be done before there is a job (see `prepare`).
    `fork=False` starts a new process for every job, as on systems without `fork`: same results,
    slower. `layers` is for tests, which take one off. Nothing is started before it is needed. Not for use from several
    threads at once.
    """

    def __init__(
        self,
        sources: Mapping[str, str],
        program_source: str,
        limits: Limits | None = None,
        *,
        fork: bool | None = None,
        layers: Sequence[str] = confine.LAYERS,
    ) -> None:
        self.sources = dict(sources)
        self.program_source = program_source
        self.limits = limits or Limits()
        self.layers = tuple(layers)
        can_fork = hasattr(os, "fork") and hasattr(socket, "send_fds")
        self._forks = can_fork if fork is None else fork and can_fork
        self._root: _Root | None = None
        self._templates: OrderedDict[object, _Template] = OrderedDict()
        self._known: dict[object, dict[str, list[str]]] = {}
        self._unconfined: list[str] | None = None

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def unconfined(self) -> list[str]:
        """What is not confined on this machine, in sentences; empty if everything is.

        A process of the sandbox was confined and has tried it, before anything of a submission runs: whoever wants
        no grading without confinement can refuse to start.
        """
        if self._unconfined is None and self._forks:
            self._unconfined = self._living_root().unconfined
        elif self._unconfined is None:
            with self._once(_Kind((), None)):
                pass
        return list(self._unconfined or ())

    def run(
        self,
        job: Mapping[str, Any],
        leave_out: Iterable[Mapping[str, Any]] = (),
        derivatives: Collection[str] | None = None,
    ) -> Outcome:
        """Run one job on the engine without the parts in `leave_out`.

        With `derivatives`, only the operations that it names can be differentiated (see `strip.without_derivatives`).

        `job` is handed to `run_job` as JSON, with `output_bytes` and `cell_seconds` added. Nothing a job does
        raises here. Raises ValueError for a part that the engine lacks, RuntimeError if the worker does
        not start or the engine does not load: both are faults of this package or of the machine.
        """
        payload = json.dumps(
            {**job, "output_bytes": self.limits.output_bytes, "cell_seconds": self.limits.cell_seconds}
        ).encode("ascii")
        if len(payload) > LONGEST_JOB:
            return Outcome("", "cell", f"The code is longer than {LONGEST_JOB:,} bytes.")
        kind = _kind(leave_out, derivatives)
        for _ in range(MOST_KILLS):
            end = self._run_forked(payload, kind) if self._forks else self._run_once(payload, kind)
            if not self._killed_from_outside(end):
                return end.outcome(self.limits)
        raise RuntimeError(f"The process that ran it was killed {MOST_KILLS} times, and not by us: is memory short?")

    def _killed_from_outside(self, end: _End) -> bool:
        """True if somebody else ended the process, as a system does that is short of memory.

        Where nothing is open, a submission cannot have done that itself: it may neither send itself a signal nor
        change its limits.
        """
        if end.kind != "closed" or self._unconfined:
            return False
        status = end.status
        killed = status is not None and status["signal"] == signal.SIGKILL and not status["killed"]
        return status is None or (killed and status["processor"] < self.limits.cpu_seconds)

    def close(self) -> None:
        """End all processes. The sandbox can be used again; it then starts new ones."""
        for template in self._templates.values():
            template.close()
        self._templates.clear()
        if self._root is not None:
            self._root.close()
            self._root = None

    def prepare(
        self,
        leave_out: Iterable[Mapping[str, Any]] = (),
        derivatives: Collection[str] | None = None,
        known: dict[str, list[str]] | None = None,
    ) -> None:
        """Have an engine loaded before there is a job for it, and do not wait. Raises what `run` does.

        `known` is handed to `get_ready` of the module that runs a job: what of the jobs to come is ours.
        """
        if self._forks:
            kind = _kind(leave_out, derivatives)
            self._known[kind.key] = known or {}
            with contextlib.suppress(WorkerLost):  # `run` finds that out again, and starts another
                template = self._template(kind)
                if template.waiting is None:
                    template.prepare_child()

    # ------------------------------------------------------------ with fork

    def _run_forked(self, payload: bytes, kind: _Kind) -> _End:
        template = None
        end = _End("closed")
        try:
            template, line = self._child(kind)
            with line:
                seconds, waited = self.limits.seconds, functools.partial(_waited, template.child)
                end = _answer(line, _frame(payload), _longest_answer(self.limits), seconds, waited)
                if end.kind == "answer":
                    template.dismiss_child()
                else:
                    end.status = template.end_child(patient=end.kind == "closed")
            template.prepare_child()
        except WorkerLost:
            self._start_over(template)
        except (ValueError, RuntimeError):  # from before there was a child
            raise
        except BaseException:  # as Ctrl-C: the template still waits for a word about its child
            self._start_over(template)
            raise
        return end

    def _child(self, kind: _Kind) -> tuple[_Template, socket.socket]:
        """A template and the line to its child; a template that was lost is replaced, once."""
        try:
            template = self._template(kind)
            return template, template.take_child()
        except WorkerLost:
            self._start_over()
            try:
                template = self._template(kind)
                return template, template.take_child()
            except WorkerLost as error:
                raise RuntimeError(f"The grader's worker process is lost: {error}") from None

    def _template(self, kind: _Kind) -> _Template:
        key = kind.key
        template = self._templates.get(key)
        if template is None:
            setup = self._setup(kind)
            template = self._living_root().new_template(setup)
            self._templates[key] = template
            if len(self._templates) > MOST_TEMPLATES:
                self._templates.popitem(last=False)[1].close()
        self._templates.move_to_end(key)
        return template

    def _living_root(self) -> _Root:
        if self._root is None:
            self._root = _Root(self.layers)
            self._unconfined = self._root.unconfined
        return self._root

    def _start_over(self, template: _Template | None = None) -> None:
        """End all processes by force, and the child of the template in question."""
        if template is not None:
            template.kill_child()
        if self._root is not None:
            self._root.kill()
        self.close()

    # ------------------------------------------------------------ without fork

    def _run_once(self, payload: bytes, kind: _Kind) -> _End:
        with self._once(kind) as process:
            bound = _longest_answer(self.limits)
            end = _ask_once(process, payload, bound, self.limits.seconds)
            end.status = _end_process(process, patient=end.kind == "closed")
        return end

    @contextlib.contextmanager
    def _once(self, kind: _Kind) -> Iterator[subprocess.Popen[bytes]]:
        """A process that is confined and ready for one job."""
        setup = json.dumps(self._setup(kind)).encode("ascii")
        process = _start_worker("once", self.layers, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        try:
            ready = _ask_once(process, setup, LONGEST_JOB, START_SECONDS)
            fields = _object(ready.body) or {"fault": "it does not answer"}
            if fields.get("fault"):
                raise RuntimeError(f"The grader's worker did not start: {fields['fault']}")
            self._unconfined = [str(one) for one in fields["unconfined"]]
            yield process
        finally:
            _end_process(process, patient=False)
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    stream.close()

    @functools.cached_property
    def _helpers(self) -> frozenset[str]:
        return derivative_helpers(self.sources)

    def _setup(self, kind: _Kind) -> dict[str, Any]:
        limits = {"cpu_seconds": self.limits.cpu_seconds, "memory_mb": self.limits.memory_mb}
        stripped = without(self.sources, kind.parts)
        if kind.derivatives is not None:
            stripped = without_derivatives(stripped, kind.derivatives, self._helpers)
        finder = SourceFinder({**stripped, PROGRAM: self.program_source})
        codes = {name: _code(text, finder.get_filename(name)) for name, text in finder.sources.items()}
        known = self._known.get(kind.key, {})
        return {"sources": finder.sources, "codes": codes, "limits": limits, "known": known}


@functools.lru_cache(maxsize=1000)
def _code(text: str, file: str) -> str:
    """The compiled code of a module, as the worker takes it: of two templates most modules are the same."""
    return base64.b64encode(marshal.dumps(compile(text, file, "exec", dont_inherit=True))).decode("ascii")


# ---------------------------------------------------------------- the worker's processes


class _Root:
    """The worker's first process, from which templates are forked."""

    def __init__(self, layers: Sequence[str]) -> None:
        self.control, there = socket.socketpair()
        with there:
            self.process = _start_worker("fork", layers, stdin=there, stdout=subprocess.DEVNULL)
        ready = _answer(self.control, b"", LONGEST_JOB, START_SECONDS)
        fields = _object(ready.body) or {"fault": "it does not answer"}
        if fields.get("fault"):
            self.kill()
            raise RuntimeError(f"The grader's worker did not start: {fields['fault']}")
        self.unconfined = [str(one) for one in fields["unconfined"]]

    def new_template(self, setup: Mapping[str, Any]) -> _Template:
        """Fork a template and have it load the engine; do not wait for that."""
        here, there = socket.socketpair()
        try:
            with there:
                socket.send_fds(self.control, [b"T"], [there.fileno()])
            here.settimeout(LOAD_SECONDS)
            here.sendall(_frame(json.dumps(setup).encode("ascii")))
        except OSError as error:
            here.close()
            raise WorkerLost(str(error)) from None
        return _Template(here)

    def close(self) -> None:
        """Let it end by itself; the templates follow when their own sockets close."""
        self.control.close()
        try:
            self.process.wait(CONTROL_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self) -> None:
        """End it and all templates, which share its process group."""
        if self.process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self.control.close()


class _Template:
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
                socket.send_fds(self.control, [b"J"], [there.fileno()])
            except OSError as error:
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
                if _read_answer(self.control.recv, LONGEST_STATUS).kind != "answer":
                    raise WorkerLost("a template does not answer")
            number = _exactly(self.control.recv, 4)
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
        self.control.settimeout(LOAD_SECONDS)
        fields = _object(_read_answer(self.control.recv, LONGEST_STATUS).body)
        if fields is None:
            raise WorkerLost("no template could be made")
        if fields.get("fault"):
            raise RuntimeError(f"The engine cannot be loaded: {fields['fault']}")
        self.loaded = True

    def end_child(self, patient: bool) -> dict[str, Any]:
        """End the child, after a moment if `patient`; return how it ended (`worker.end_child`)."""
        end = _answer(self.control, b"W" if patient else b"E", LONGEST_STATUS, CONTROL_SECONDS)
        self.child = 0
        status = _object(end.body)
        if status is None:
            raise WorkerLost("a template does not answer")
        return status

    def dismiss_child(self) -> None:
        """Have the template end a child that has answered; do not wait for it."""
        try:
            self.control.sendall(b"E")
        except OSError as error:
            raise WorkerLost(str(error)) from None
        self.child, self.dismissed = 0, True

    def kill_child(self) -> None:
        """End the child without the template's help; one in waiting ends with the template."""
        for kill in (os.killpg, os.kill) if self.child else ():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                kill(self.child, signal.SIGKILL)

    def close(self) -> None:
        """Let the template end by itself, and with it the child in waiting."""
        self.control.close()
        if self.waiting is not None:
            self.waiting.close()


def _start_worker(mode: str, layers: Sequence[str], **streams: Any) -> subprocess.Popen[bytes]:
    numpy = importlib.util.find_spec("numpy")
    if numpy is None or numpy.origin is None:
        raise RuntimeError("The grader's worker needs numpy, which is not installed.")
    environment = {name: os.environ[name] for name in KEPT_ENVIRONMENT if name in os.environ}
    folder = str(Path(numpy.origin).parent.parent)
    return subprocess.Popen(
        # isolated, and without `site`: nothing installed runs code or is found by name
        [sys.executable, "-I", "-S", "-B", "-X", "utf8", str(WORKER), mode, folder, *layers],
        env=environment | dict.fromkeys(ONE_THREAD, "1"),
        stderr=subprocess.DEVNULL,
        bufsize=0,
        start_new_session=True,
        **streams,
    )


def _end_process(process: subprocess.Popen[bytes], patient: bool) -> dict[str, Any]:
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


# ---------------------------------------------------------------- what comes back


@dataclass
class _End:
    """How a conversation ended.

    `kind`: "answer" (then `body` has it), "time", "closed" (no more data), "flood" (too much).
    `status`: how the process ended, or None if nobody knows.
    """

    kind: str
    body: bytes | None = None
    status: dict[str, Any] | None = None

    def outcome(self, limits: Limits) -> Outcome:
        """Say what that means for the job."""
        if self.kind == "answer":
            return _parse(self.body, limits)
        if self.kind == "time":
            return Outcome("", "time", f"It was stopped after {limits.seconds:g} seconds.")
        if self.kind == "flood":
            bound = _longest_answer(limits)
            return Outcome("", "output", f"It answered with more than {bound:,} bytes.")
        return _explain(self.status, limits)


def _explain(status: Mapping[str, Any] | None, limits: Limits) -> Outcome:
    """Say why a process ended without an answer."""
    if status is None:
        return Outcome("", "died", "It ended together with the process that watched it.")
    if status["killed"]:
        return Outcome("", "died", "It closed its connection to the grader.")
    if not status["signal"]:
        code = status["code"]
        message = f"The process ended before the program had finished (exit code {code})."
        return Outcome("", "died", message)
    try:
        name = signal.Signals(status["signal"]).name
    except ValueError:
        name = f"signal {status['signal']}"
    used_up = name == "SIGKILL" and status["processor"] >= limits.cpu_seconds
    if name == "SIGXCPU" or used_up:
        message = f"It was stopped after {limits.cpu_seconds:g} seconds of processor time."
        return Outcome("", "time", message)
    return Outcome("", "died", f"The process crashed ({name}).")


def _parse(body: bytes | None, limits: Limits) -> Outcome:
    """Read an answer that may be forged: every field must have its type, all else is "died"."""
    fields = _object(body)
    improper = Outcome("", "died", "It gave no proper answer.")
    if fields is None or fields.keys() != {"text", "problem"}:
        return improper
    text, problem = fields["text"], fields["problem"]
    if not isinstance(text, str):
        return improper
    text = _plain(text)
    if len(text.encode("utf-8")) > limits.output_bytes:
        text = text.encode("utf-8")[: limits.output_bytes].decode("utf-8", "ignore")
        return Outcome(text, "output", f"It printed more than {limits.output_bytes:,} bytes.")
    if problem is None:
        return Outcome(text)
    if not isinstance(problem, dict) or problem.keys() != {"kind", "message"}:
        return improper
    kind, message = problem["kind"], problem["message"]
    if not isinstance(kind, str) or kind not in ANSWERED_PROBLEMS or not isinstance(message, str):
        return improper
    return Outcome(text, kind, _plain(message)[:LONGEST_MESSAGE])


def _plain(text: str) -> str:
    """Replace what cannot be written as UTF-8."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _object(body: bytes | None) -> dict[str, Any] | None:
    """Parse JSON that should be an object; None for everything else."""
    try:
        value = json.loads(body or b"")
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _longest_answer(limits: Limits) -> int:
    """Bytes of JSON: one byte of text may take six (a control character does)."""
    return 6 * limits.output_bytes + 100_000


# ---------------------------------------------------------------- talking


def _frame(body: bytes) -> bytes:
    return len(body).to_bytes(4, "big") + body


def _exactly(read: Callable[[int], bytes], count: int) -> bytes | None:
    """Read `count` bytes; None if the other side closes before."""
    data = bytearray()
    while len(data) < count:
        piece = read(min(count - len(data), 1 << 20))
        if not piece:
            return None
        data += piece
    return bytes(data)


def _read_answer(read: Callable[[int], bytes], bound: int) -> _End:
    head = _exactly(read, 4)
    if head is None:
        return _End("closed")
    length = int.from_bytes(head, "big")
    if length > bound:
        return _End("flood")
    body = _exactly(read, length)
    return _End("closed") if body is None else _End("answer", body)


def _answer(
    line: socket.socket, message: bytes, bound: int, seconds: float, waited: Callable[[], float] = lambda: 0.0
) -> _End:
    """Send a message over a socket and read the answer, within `seconds`; what the other side `waited` comes on top."""
    started = time.monotonic()
    deadline = started + seconds

    def read(count: int) -> bytes:
        nonlocal deadline
        while True:
            # a timeout of zero would mean: do not wait at all
            line.settimeout(max(0.001, deadline - time.monotonic()))
            try:
                return line.recv(count)
            except TimeoutError:
                later = started + min(seconds + waited(), MOST_PATIENCE * seconds)
                if later < deadline + LEAST_WAIT:
                    raise
                deadline = later

    try:
        line.settimeout(seconds)
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            line.sendall(message)  # whoever is gone may have left an answer
        return _read_answer(read, bound)
    except TimeoutError:
        return _End("time")
    except OSError:
        return _End("closed")


def _waited(pid: int) -> float:
    """For how many seconds a process would have computed and got no processor for it. Only Linux says so."""
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text(encoding="ascii").split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


def _ask_once(process: subprocess.Popen[bytes], message: bytes, bound: int, seconds: float) -> _End:
    """The same over pipes, which cannot wait with a limit everywhere: a thread waits."""
    assert process.stdin is not None and process.stdout is not None
    writing, reading = process.stdin.fileno(), process.stdout.fileno()
    ends: list[_End] = []

    def talk() -> None:
        data = memoryview(_frame(message))
        with contextlib.suppress(OSError):
            while data:
                data = data[os.write(writing, data) :]
        try:
            ends.append(_read_answer(lambda count: os.read(reading, count), bound))
        except OSError:
            ends.append(_End("closed"))

    thread = threading.Thread(target=talk, daemon=True)
    thread.start()
    thread.join(seconds)
    if thread.is_alive():
        _end_process(process, patient=False)  # the thread then reads the end of the pipe
        thread.join()
        return _End("time")
    return ends[0]
