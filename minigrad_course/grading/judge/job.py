"""The confined child's work: run a submission's cells, then a check's program with the answers attached.

The child is sent this file, `program.py`, `problems.py`, `cells.py` and `draws.py` of the course, and an engine without
the parts in question. So it needs only those and the standard library, and contains no hint, mistake or solution. The
engine's door, `minigrad.parts`, is there for these files alone: an answer that imports it is told that there is none.
"""

from __future__ import annotations

import dataclasses
import functools
import operator
import sys
import time
import types
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, ExitStack, nullcontext
from typing import Any

from minigrad import parts
from minigrad_course.programs.cells import module_of, needed, run_cell
from minigrad_course.programs.problems import PROGRAM
from minigrad_course.programs.program import OUTPUT_LIMIT, Answers, Place, code_of, path_of, run_with

# The chapters of the engine, the subject of the checks.
CHAPTERS = ("scalar", "upstream", "jacobian", "leaf", "tensor")
# The modules below the chapters: replacing something there could do a part's work.
BESIDE = (  # the modules that the chapters lean on
    *("passing.passes", "graph.hooks", "passing.views", "passing.inplace", "graph.multi_output"),
    *("recording.saved", "recording.modes", "recording.record", "graph.nodes"),
)


def only_for(code: types.CodeType, answers: list[object]) -> AbstractContextManager[None]:
    """Lend derivatives to the code of a program alone: the sandbox puts its own in this place (`lending.py`)."""
    return nullcontext()


def run_job(job: dict[str, Any], engine: types.ModuleType) -> dict[str, object]:
    """Run answer cells, then a program with the answers attached: the whole of one grading, as plain data.

    job: "cells", a list of {"source", "part"} (part None for a cell of ours; with "module", the parts that it answers
    as an engine of one's own), "cell_seconds" for each of them,
    "places", a list of Place fields, "program", "seed", "output_bytes"; "lends", false where nothing is differentiated
    for answers; "soft_seconds" of processor time for all of it, after which it is asked to stop, and says where it was:
    what does not stop is ended from outside. Gives {"text", "problem"}, problem None or {"kind", "message"}; and
    "quiet", the text without what answers printed, if they did.
    """
    with ExitStack() as undo:
        return _run_job(job, engine, undo)


def _run_job(job: dict[str, Any], engine: types.ModuleType, undo: ExitStack) -> dict[str, object]:
    started = time.process_time()
    places = [Place(**fields) for fields in job["places"]]
    before = watched(engine)

    def put(name: str, answer: object) -> None:
        """The engine lacks the parts: give it each as it comes, because a cell may try what stands above it."""
        for place in places:
            if place.name == name and place.kind == "engine":
                undo.enter_context(parts.replace(path_of(place), answer, missing_ok=True))

    answers = Answers(put)
    namespace = {"__name__": "__main__", "part": answers.part}
    failures: dict[str, str] = {}
    for cell in job["cells"]:
        if cell["part"] is None:
            namespace.update(set_up(cell["source"]))
        elif names := cell.get("module"):
            module, failure = module_of(cell["source"], job.get("cell_seconds"))
            if failure:
                failures |= dict.fromkeys(names, failure)
            else:
                answers.update(dict.fromkeys(names, module))
        elif failure := run_cell(cell["source"], namespace, job.get("cell_seconds")):
            failures[cell["part"]] = failure
    for place in places:
        if place.name not in answers:
            silent = f'The cell of {place.name} defines no part: put @part("{place.name}") above the answer.'
            if place.name in failures:
                failure = failures[place.name]
                return ended("cell", needed(place.name, failure) if len(places) > 1 else failure)
            return ended("missing", silent)
    for item in before:
        item.put_back()
    limit = job.get("output_bytes", OUTPUT_LIMIT)
    seconds = left_of(job.get("soft_seconds"), started)
    # how long it may wait is measured from outside, where a busy machine can be told from an idle answer
    limits = {"output_limit": limit, "seconds": seconds, "wait": None}
    kept = nullcontext() if job.get("lends", True) else only_for(code_of(job["program"], PROGRAM), [*answers.values()])
    with kept:
        result = run_with(job["program"], engine, job["seed"], places, answers, **limits)
    own = {(place.module, place.attribute) for place in places}
    for item in before:
        for name in item.changed():
            if (item.owner.__name__, name) not in own:
                sentence = f"While the check ran, {item.owner.__name__}.{name} of the engine was replaced"
                return ended("answer", f"{sentence}: you may replace only parts.")
    problem = dataclasses.asdict(result.problem) if result.problem else None
    quiet = {} if result.quiet is None else {"quiet": result.quiet}
    return {"text": result.text, "problem": problem, **quiet}


def left_of(seconds: float | None, started: float) -> float | None:
    """What is left of a time limit, in two digits, as a sentence names it; None for no limit.

    What was used so far counts from a twentieth of it on: else a sentence would name 0.99 seconds for a limit of one.
    """
    if seconds is None:
        return None
    left = seconds - (time.process_time() - started)
    return seconds if left > 0.95 * seconds else float(f"{max(0.1 * seconds, left):.2g}")


def get_ready(engine: types.ModuleType, cells: Iterable[str] = (), programs: Iterable[str] = ()) -> None:
    """Do in advance, once for many jobs, whatever needs no submission: for our own cells and programs."""
    watched(engine)
    for source in cells:
        set_up(source)
    for text in programs:
        code_of(text, PROGRAM)


@functools.cache
def set_up(source: str) -> dict[str, object]:
    """What a cell of ours defines: it imports, and does nothing else."""
    namespace: dict[str, object] = {"__name__": "__main__"}
    run_cell(source, namespace)
    return namespace


def ended(kind: str, message: str) -> dict[str, object]:
    """The result of a job without valid output."""
    return {"text": "", "problem": {"kind": kind, "message": message}}


@dataclasses.dataclass(frozen=True, slots=True)
class Watched:
    """The contents of a module or class of the engine, as they are and as they were."""

    owner: types.ModuleType | type
    inside: Mapping[str, object]
    before: dict[str, object]

    def changed(self) -> list[str]:
        """The names whose values have changed; nearly always none, which is found out without a line of Python."""
        if all(map(operator.is_, map(self.inside.get, self.before), self.before.values())):
            return []
        return [name for name, value in self.before.items() if self.inside.get(name) is not value]

    def put_back(self) -> None:
        """Undo what an experiment changed. It did so without the engine's door, and so this does not use it either."""
        for name in self.changed():
            setattr(self.owner, name, self.before[name])


@functools.cache  # in a template, so that its children need not look again
def watched(engine: types.ModuleType) -> list[Watched]:
    """The contents of the chapters and the modules below: functions, classes with their contents, and modules."""
    names = [f"{engine.__name__}.{item}" for item in (*CHAPTERS, *BESIDE)]
    modules = [sys.modules[name] for name in names if name in sys.modules]
    inside = [value for module in modules for value in vars(module).values() if isinstance(value, type)]
    python = sys.stdlib_module_names
    classes = [item for item in dict.fromkeys(inside) if item.__module__.partition(".")[0] not in python]
    kinds = (staticmethod, classmethod, property, types.ModuleType)
    owners: list[types.ModuleType | type] = [*modules, *classes]
    found = []
    for owner in owners:
        own = vars(owner)
        before = {name: value for name, value in own.items() if callable(value) or isinstance(value, kinds)}
        found.append(Watched(owner, own, before))
    return found
