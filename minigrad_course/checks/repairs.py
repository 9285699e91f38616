"""A check of a program to debug that nobody has diagnosed: its own fault stays a secret, a new one is named."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable

import minigrad
from minigrad_course.checks.patience import programs_in
from minigrad_course.checks.verdicts import SECONDS, Here, Verdict, error_of
from minigrad_course.parts import Deviation
from minigrad_course.programs import cells, program
from minigrad_course.programs.compare import alike
from minigrad_course.texts import source


def held_back(verdict: Verdict, here: Here, cell: str, asks: Callable[[], bool]) -> Verdict:
    """A verdict that names no fault if a diagnosis comes first, as `asks` says. `cell` is that of the answer.

    A known mistake is named, diagnosis or not, unless it is what the program did from the start.
    """
    if here.problem or not verdict.names_a_fault or not asks():
        return verdict
    held = dataclasses.replace(verdict, asks="given", mistake=None, edit=None)
    if cell.split() == programs_in(here.chapter.name)[verdict.check].split():
        return held
    if does_what_it_did(verdict, here):
        return dataclasses.replace(held, asks="the same")
    is_known = verdict.mistake is not None and not isinstance(verdict.mistake, Deviation)
    return dataclasses.replace(verdict, edit=None) if is_known else dataclasses.replace(held, asks="something else")


def does_what_it_did(verdict: Verdict, here: Here) -> bool:
    """True if the program, as it was given, comes to the same."""
    answers = {here.check: given(here.chapter.name, here.check)}
    places = here.chapter.places(here.check)
    run = program.run_with(here.text, minigrad, here.seed, places, answers, seconds=SECONDS)
    return alike(run.text, verdict.text) and error_of(run.problem) == error_of(verdict.problem)


@functools.cache
def given(name: str, part: str) -> object:
    """A program to debug as it is given: a function."""
    answers = program.Answers()
    setup = [cell.source for cell in source.read("solutions", name).cells if cell.role == "setup"]
    namespace: dict[str, object] = {"__name__": "__main__", "part": answers.part}
    for text in (*setup, programs_in(name)[part]):
        cells.run_cell(text, namespace)
    return answers[part]
