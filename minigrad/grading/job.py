"""What the confined child does: run a submission's cells, then a check's program with the answers attached.

The child is sent this file, beside `course/program.py`, `course/cells.py` and an engine without the parts in question.
It therefore needs nothing but those and the standard library, and holds no hint, no mistake and no solution.
"""

from __future__ import annotations

import dataclasses
import functools
import sys
from typing import Any

from minigrad.course.cells import run_cell
from minigrad.course.program import OUTPUT_LIMIT, Answers, Place, run_with

# The chapters of the engine: what stands in them is what a check is about.
CHAPTERS = ("scalar", "upstream", "jacobian", "leaf", "tensor")

Definition = tuple[Any, str, Any]  # where something is defined, under which name, and what it is


def run_job(job: dict, engine: Any) -> dict:
    """Run answer cells, then a program with the answers attached: the whole of one grading, as plain data.

    job: "cells", a list of {"source", "part"} (part None for a cell of imports), "cell_seconds" for each of them,
    "places", a list of Place fields, "program", "seed", "output_bytes". Gives {"text", "problem"}, problem None
    or {"kind", "message"}.
    """
    places = [Place(**fields) for fields in job["places"]]
    before = definitions(engine)

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
    for owner, name, value in changed(before):
        setattr(owner, name, value)  # what an experiment changed
    limit = job.get("output_bytes", OUTPUT_LIMIT)
    result = run_with(job["program"], engine, job["seed"], places, answers, output_limit=limit)
    own = {(place.module, place.attribute) for place in places}
    for owner, name, _ in changed(before):
        if (owner.__name__, name) not in own:
            sentence = f"While the check ran, {owner.__name__}.{name} of the engine was replaced: only a part may be."
            return ended("answer", sentence)
    return {"text": result.text, "problem": dataclasses.asdict(result.problem) if result.problem else None}


def ended(kind: str, message: str) -> dict:
    """The answer to a job that printed nothing that counts."""
    return {"text": "", "problem": {"kind": kind, "message": message}}


@functools.cache  # in a template, so that its children need not look again
def definitions(engine: Any) -> list[Definition]:
    """The functions and classes of the engine's chapters, and what stands in those classes."""
    modules = [sys.modules[name] for each in CHAPTERS if (name := f"{engine.__name__}.{each}") in sys.modules]
    inside = [value for module in modules for value in vars(module).values() if isinstance(value, type)]
    kinds = (staticmethod, classmethod, property)
    return [
        (owner, name, value)
        for owner in (*modules, *dict.fromkeys(inside))
        for name, value in vars(owner).items()
        if callable(value) or isinstance(value, kinds)
    ]


def changed(before: list[Definition]) -> list[Definition]:
    """The definitions that something else stands in the place of by now."""
    return [each for each in before if vars(each[0]).get(each[1]) is not each[2]]
