"""Run a submission's code in a confined process: the trusted side.

The worker process (`worker.py`) does the running. This side chooses what the worker gets, keeps
the clock, reads the answer as text of limited size, and ends whatever does not end on its own.
"""

from __future__ import annotations

import contextlib
import functools
import json
import marshal
import os
import signal
import socket
import subprocess
from collections import OrderedDict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from minigrad_course.grading.judge.sandbox import confine
from minigrad_course.grading.judge.sandbox.conversation import answer, frame, time_in_queue
from minigrad_course.grading.judge.sandbox.importing import PROGRAM, SourceFinder, plain_name
from minigrad_course.grading.judge.sandbox.outcomes import End, Outcome, as_object, longest_answer
from minigrad_course.grading.judge.sandbox.processes import (
    LONGEST_JOB,
    START_SECONDS,
    Root,
    Template,
    WorkerLost,
    ask_once,
    end_process,
    links,
    start_worker,
)
from minigrad_course.grading.judge.strip import (
    derivative_helpers,
    remembered,
    with_questions,
    without,
    without_derivatives,
)
from minigrad_course.grading.records.record import Limits

__all__ = ["MOST_TEMPLATES", "Limits", "Outcome", "Sandbox"]

MOST_KILLS = 3  # of one job by somebody else, before that is a fault of the machine
MOST_TEMPLATES = 12  # 18 megabytes each, together with a child: those of one chapter


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


class Sandbox:
    """Runs jobs one at a time on an engine without some of its parts; a context manager.

    `sources` are the engine's modules (see `strip.engine_sources`), `program_source` the text of
    the module that runs a job: it needs the standard library only and has
    `run_job(job, engine) -> {"text": str, "problem": None | {"kind": str, "message": str}}`, and
    `get_ready(engine, **known)` for what can be done before there is a job (see `prepare`).
    `fork=False` starts a new process for every job, as on systems without `fork`: same results,
    slower. `layers` is for tests, which take one off. `shared` are the modules that no job's engine lacks anything of:
    they are in memory once, for all engines. Nothing is started before it is needed. Not for use from several
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
        shared: Collection[str] = (),
    ) -> None:
        self.sources = dict(sources)
        self.shared = frozenset(shared)
        self.program_source = program_source
        self.limits = limits or Limits()
        self.layers = tuple(layers)
        can_fork = hasattr(os, "fork") and hasattr(socket, "send_fds")
        self._forks = can_fork if fork is None else fork and can_fork
        self._root: Root | None = None
        self._templates: OrderedDict[object, Template] = OrderedDict()
        self.most_templates = MOST_TEMPLATES
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
            self._living_root()
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

        `job` is handed to `run_job` as JSON, with `output_bytes`, `cell_seconds` and `soft_seconds` added. Nothing a
        job does raises here. Raises ValueError for a part that the engine lacks, RuntimeError if the worker does
        not start or the engine does not load: both are faults of this package or of the machine.
        """
        added = {name: getattr(self.limits, name) for name in ("output_bytes", "cell_seconds", "soft_seconds")}
        payload = json.dumps({**job, **added}).encode("ascii")
        if len(payload) > LONGEST_JOB:
            return Outcome("", "cell", f"The code is longer than {LONGEST_JOB:,} bytes.")
        kind = _kind(leave_out, derivatives)
        for _ in range(MOST_KILLS):
            end = self._run_forked(payload, kind) if self._forks else self._run_once(payload, kind)
            if not self._killed_from_outside(end):
                return end.outcome(self.limits)
        raise RuntimeError(f"The process that ran it was killed {MOST_KILLS} times, but not by us: is memory short?")

    def _killed_from_outside(self, end: End) -> bool:
        """True if somebody else ended the process, as a system does that is short of memory.

        Where nothing is open, a submission cannot have done that itself: it may neither send itself a signal nor
        change its limits.
        """
        if end.kind != "closed" or self._unconfined:
            return False
        status = end.status
        killed = status is not None and status["signal"] == signal.SIGKILL and not status["killed"]
        return status is None or (killed and status["processor"] < self.limits.last_cpu_seconds)

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

    def begin(self) -> None:
        """Start the first process, and do not wait for it: until it can do something it imports for a while."""
        if self._forks and self._root is None:
            self._root = Root(self.layers)

    def compile(self) -> None:
        """Compile the modules of all engines, as far as nothing is left out of them, once for this process."""
        self._modules(self.sources)

    # ------------------------------------------------------------ with fork

    def _run_forked(self, payload: bytes, kind: _Kind) -> End:
        template = None
        end = End("closed")
        try:
            template, line = self._child(kind)
            with line:
                seconds, waited = self.limits.last_seconds, functools.partial(time_in_queue, template.child)
                end = answer(line, frame(payload), longest_answer(self.limits), seconds, waited)
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

    def _child(self, kind: _Kind) -> tuple[Template, socket.socket]:
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

    def _template(self, kind: _Kind) -> Template:
        key = kind.key
        template = self._templates.get(key)
        if template is None:
            setup = self._setup(kind)
            template = self._living_root().new_template(setup)
            self._templates[key] = template
            if len(self._templates) > self.most_templates:
                self._templates.popitem(last=False)[1].close()
        self._templates.move_to_end(key)
        return template

    def _living_root(self) -> Root:
        root = self._root = self._root or Root(self.layers)
        if root.unconfined is None:
            try:
                root.load(self._modules({name: self.sources[name] for name in self.shared}))
            except BaseException:
                self._root = None
                raise
            self._unconfined = root.unconfined
        return root

    def _start_over(self, template: Template | None = None) -> None:
        """End all processes by force, and the child of the template in question."""
        if template is not None:
            template.kill_child()
        if self._root is not None:
            self._root.kill()
        self.close()

    # ------------------------------------------------------------ without fork

    def _run_once(self, payload: bytes, kind: _Kind) -> End:
        with self._once(kind) as process:
            bound = longest_answer(self.limits)
            end = ask_once(process, payload, bound, self.limits.last_seconds)
            end.status = end_process(process, patient=end.kind == "closed")
        return end

    @contextlib.contextmanager
    def _once(self, kind: _Kind) -> Iterator[subprocess.Popen[bytes]]:
        """A process that is confined and ready for one job."""
        setup = marshal.dumps(self._setup(kind, every=True))
        made = links()
        process = start_worker("once", self.layers, made, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        try:
            with made:
                ready = ask_once(process, setup, LONGEST_JOB, START_SECONDS)
            fields = as_object(ready.body) or {"fault": "it does not answer"}
            if fields.get("fault"):
                raise RuntimeError(f"The grader's worker did not start: {fields['fault']}")
            self._unconfined = [str(one) for one in fields["unconfined"]]
            yield process
        finally:
            end_process(process, patient=False)
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    stream.close()

    @functools.cached_property
    def _helpers(self) -> frozenset[str]:
        return derivative_helpers(self.sources)

    def _setup(self, kind: _Kind, every: bool = False) -> dict[str, Any]:
        """What a worker needs for an engine: its modules, without the shared ones unless it is to have `every` one."""
        limits = {"cpu_seconds": self.limits.last_cpu_seconds, "memory_mb": self.limits.memory_mb}
        stripped = without(self.sources, kind.parts)
        if kind.derivatives is not None:
            stripped = without_derivatives(stripped, kind.derivatives, self._helpers)
        if any(stripped[name] != self.sources[name] for name in self.shared):
            raise ValueError("An engine lacks something in a module that all of them share.")
        own = {name: text for name, text in stripped.items() if every or name not in self.shared}
        modules = self._modules({**own, PROGRAM: self.program_source})
        return {**modules, "limits": limits, "known": self._known.get(kind.key, {})}

    def _modules(self, sources: Mapping[str, str]) -> dict[str, dict[str, Any]]:
        """Modules as a worker takes them: their texts, and their code."""
        files = self._files
        return {
            "sources": dict(sources),
            "codes": {name: _code(text, files.get_filename(plain_name(name))) for name, text in sources.items()},
        }

    @functools.cached_property
    def _files(self) -> SourceFinder:
        return SourceFinder({**self.sources, PROGRAM: self.program_source})


@remembered
def _code(text: str, file: str) -> bytes:
    """The compiled code of a module, as the worker takes it: of two templates most modules are the same."""
    return marshal.dumps(with_questions(text, file))
