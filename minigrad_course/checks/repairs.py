"""A check of a program to debug that nobody has diagnosed: its own fault stays a secret, a new one is named."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import minigrad
from minigrad_course.checks.patience import programs_in
from minigrad_course.checks.verdicts import SECONDS, SEED, Verdict, error_of
from minigrad_course.parts import Chapter
from minigrad_course.programs import cells, program
from minigrad_course.programs.compare import alike
from minigrad_course.texts import source


def held_back(verdict: Verdict, chapter: Chapter, text: str, cell: str) -> Verdict:
    """A verdict on a program that asks for a diagnosis first. `text` is the check's program, `cell` that of the answer.

    A known mistake is named, diagnosis or not, unless it is what the program did from the start.
    """
    asks = dataclasses.replace(verdict, asks="given", mistake=None)
    if cell.split() == programs_in(chapter.name)[verdict.check].split():
        return asks
    if does_what_it_did(verdict, chapter, text):
        return dataclasses.replace(asks, asks="the same")
    return verdict if verdict.mistake else dataclasses.replace(asks, asks="something else")


def does_what_it_did(verdict: Verdict, chapter: Chapter, text: str) -> bool:
    """True if the program, as it was given, comes to the same."""
    check = verdict.check
    answers = {check: given(chapter.name, check)}
    run = program.run_with(text, minigrad, SEED, chapter.places(check), answers, seconds=SECONDS)
    return alike(run.text, verdict.text) and error_of(run.problem) == error_of(verdict.problem)


@functools.cache
def given(name: str, part: str) -> Any:
    """A program to debug as it is given: a function."""
    answers = program.Answers()
    setup = [cell.source for cell in source.read("solutions", name).cells if cell.role == "setup"]
    namespace: dict[str, Any] = {"__name__": "__main__", "part": answers.part}
    for text in (*setup, programs_in(name)[part]):
        cells.run_cell(text, namespace)
    return answers[part]
