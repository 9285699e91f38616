"""What the confined child does: run a submission's cells, then a check's program with the answers attached.

The child is sent this file, beside `course/program.py`, `course/cells.py` and an engine without the parts in question.
It therefore needs nothing but those and the standard library, and holds no hint, no mistake and no solution.
"""

from __future__ import annotations

import dataclasses
import functools
import operator
import sys
import types
from collections.abc import Callable
from typing import Any

from minigrad.course.cells import run_cell
from minigrad.course.program import OUTPUT_LIMIT, Answers, Place, run_with

# The chapters of the engine: what stands in them is what a check is about.
CHAPTERS = ("scalar", "upstream", "jacobian", "leaf", "tensor")
# What the chapters lean on: whoever replaces a piece of it could do a part's work there.
RUNTIME = ("passes", "hooks", "views", "inplace", "multi_output", "saved", "grad_mode")


def run_job(job: dict, engine: Any) -> dict:
    """Run answer cells, then a program with the answers attached: the whole of one grading, as plain data.

    job: "cells", a list of {"source", "part"} (part None for a cell of imports), "cell_seconds" for each of them,
    "places", a list of Place fields, "program", "seed", "output_bytes". Gives {"text", "problem"}, problem None
    or {"kind", "message"}.
    """
    places = [Place(**fields) for fields in job["places"]]
    before = watched(engine)

    def put(name: str, answer: Any) -> None:
        """The engine lacks the parts: give it each as it comes, because a cell may try what stands above it."""
        for place in places:
            if place.name == name and place.kind == "engine":
                setattr(sys.modules[place.module], place.attribute, answer)

    answers = Answers(put)
    namespace = {"__name__": "__main__", "part": answers.part}
    failures: dict[str, str] = {}
    for cell in job["cells"]:
        failure = run_cell(cell["source"], namespace, job.get("cell_seconds"))
        if failure and cell["part"]:
            failures[cell["part"]] = failure
    for place in places:
        if place.name not in answers:
            silent = (
                f'The cell of {place.name} hands nothing over: @part("{place.name}") has to stand above the answer.'
            )
            if place.name in failures:
                return ended("cell", failures[place.name])
            return ended("missing", silent)
    for each in before:
        each.put_back()
    limit = job.get("output_bytes", OUTPUT_LIMIT)
    result = run_with(job["program"], engine, job["seed"], places, answers, output_limit=limit)
    own = {(place.module, place.attribute) for place in places}
    for each in before:
        for name in each.changed():
            if (each.owner.__name__, name) not in own:
                sentence = f"While the check ran, {each.owner.__name__}.{name} of the engine was replaced"
                return ended("answer", f"{sentence}: only a part may be.")
    return {"text": result.text, "problem": dataclasses.asdict(result.problem) if result.problem else None}


def ended(kind: str, message: str) -> dict:
    """The answer to a job that printed nothing that counts."""
    return {"text": "", "problem": {"kind": kind, "message": message}}


@dataclasses.dataclass(frozen=True)
class Watched:
    """What stands in a module or in a class of the engine. To look at it again touches as little memory as it can."""

    owner: Any
    names: tuple[str, ...]
    values: tuple[Any, ...]
    now: Callable[[Any], tuple[Any, ...]]  # the values of the same names in a mapping, taken in C

    def changed(self) -> list[str]:
        """The names that something else stands for by now."""
        inside = vars(self.owner)
        try:
            if all(map(operator.is_, self.now(inside), self.values)):
                return []
        except KeyError:
            pass  # one was deleted
        return [name for name, value in zip(self.names, self.values, strict=True) if inside.get(name) is not value]

    def put_back(self) -> None:
        """Undo what an experiment changed."""
        for name in self.changed():
            setattr(self.owner, name, self.values[self.names.index(name)])


@functools.cache  # in a template, so that its children need not look again
def watched(engine: Any) -> list[Watched]:
    """The functions and classes of the engine's chapters, what stands in those classes, and the modules in both."""
    names = [f"{engine.__name__}.{each}" for each in (*CHAPTERS, *[f"runtime.{each}" for each in RUNTIME])]
    modules = [sys.modules[name] for name in names if name in sys.modules]
    inside = [value for module in modules for value in vars(module).values() if isinstance(value, type)]
    python = sys.stdlib_module_names
    classes = [each for each in dict.fromkeys(inside) if each.__module__.partition(".")[0] not in python]
    kinds = (staticmethod, classmethod, property, types.ModuleType)
    found = []
    for owner in (*modules, *classes):
        here = {name: value for name, value in vars(owner).items() if callable(value) or isinstance(value, kinds)}
        here["__doc__"] = owner.__doc__  # so that there are two or more: of one, `itemgetter` gives no tuple
        found.append(Watched(owner, tuple(here), tuple(here.values()), operator.itemgetter(*here)))
    return found
