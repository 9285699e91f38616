"""A check in the notebook: run the program with the student's part, and let torch, run live, say if it is right."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import html
import importlib
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import minigrad
from minigrad.course import program
from minigrad.course.compare import Difference, alike, difference, skeleton
from minigrad.course.parts import Chapter, Mistake, Part
from minigrad.course.program import Place, Problem
from minigrad.course.reference import reference

SEED = 20  # in a notebook; a grading draws its own
SECONDS = 10.0
MISTAKE_SECONDS = 2.0

# Okabe and Ito's green, vermillion and blue; the words say the same without the colour.
COLOURS = {"passed": "#009E73", "failed": "#D55E00", "open": "#0072B2"}

HINT = "run %hint {} in a cell of its own"  # how to get a hint in a notebook
# A long line goes on below itself, beside its label: its end, often the place that differs, is not hidden.
LINE = "font-family:monospace;white-space:pre-wrap;overflow-wrap:anywhere;padding-left:7ch;text-indent:-7ch"


@dataclasses.dataclass(frozen=True)
class Verdict:
    """What a check found out. state: "passed", "failed", or "open" (there is still something to write)."""

    check: str
    text: str
    together: bool = False
    repaired: bool = False  # all its parts are programs: what counts is what our own answers print under torch
    problem: Problem | None = None
    difference: Difference | None = None
    mistake: Mistake | None = None

    @property
    def state(self) -> str:
        if self.problem and self.problem.is_open:
            return "open"
        return "failed" if self.problem or self.difference else "passed"

    @property
    def headline(self) -> str:
        if self.state == "passed":
            return f"✓ {self.check}: it prints what {'it should' if self.repaired else 'torch prints'}."
        if self.problem:
            return f"{'…' if self.state == 'open' else '✗'} {self.check}: {self.problem.message}"
        assert self.difference is not None
        wanted = "it should print" if self.repaired else "torch prints"
        return f"✗ {self.check}: not what {wanted}; {self.difference.what}."

    @property
    def advice(self) -> str:
        """What may help, in a notebook."""
        return self.advice_with(HINT)

    def advice_with(self, hint: str) -> str:
        """What may help: the mistake that prints the same, else where the hints are, and `hint` says how to get one."""
        if self.state == "passed":
            return ""
        if self.mistake:
            return f"This is what you get when {self.mistake.explanation}."
        if self.together:
            return "The checks above try the parts one by one: start with the first of them that does not pass."
        if self.difference and self.difference.is_extra and not self.repaired:
            return "Does your part print? Take that out: only what the program prints is wanted."
        return f"For a hint, {hint.format(self.check)}."

    def lines(self) -> list[tuple[str, str]]:
        """The first lines that differ, labelled; a line that was not reached for a problem does not count."""
        if not self.difference or (self.problem and not self.difference.printed.strip()):
            return []
        return list(zip(("yours", "right" if self.repaired else "torch"), self.difference.shown, strict=True))

    def told(self, hint: str = HINT) -> str:
        """The verdict as lines of text."""
        lines = [f"   {label}: {text}" for label, text in self.lines()]
        advice = self.advice_with(hint)
        return "\n".join([self.headline, *lines, *([f"   {advice}"] if advice else [])])

    def __repr__(self) -> str:
        return self.told()

    def _repr_html_(self) -> str:
        rows = "".join(f'<div style="{LINE}">{label}: {html.escape(text)}</div>' for label, text in self.lines())
        name, sentence = self.headline.split(": ", 1)
        advice = f"<div>{with_code(self.advice)}</div>" if self.advice else ""
        return (
            f'<div style="border-left:4px solid {COLOURS[self.state]};padding:2px 0 2px 10px">'
            f"<strong>{html.escape(name)}:</strong> {with_code(sentence)}{rows}{advice}</div>"
        )


def with_code(sentence: str) -> str:
    """A sentence as HTML, what stands between backticks as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(sentence))


def judge(chapter: Chapter, check: str, text: str, answers: dict[str, Any], seed: int = SEED) -> Verdict:
    """Run the program `text` of a check with the answers, and compare it with torch."""
    places, together = chapter.places(check), check == chapter.together
    repaired = all(place.kind == "program" for place in places)
    with without(chapter.twins(check)):
        run = program.run_with(text, minigrad, seed, places, answers, seconds=SECONDS)
    if run.problem and (run.problem.is_open or run.problem.kind == "answer"):
        return Verdict(check, run.text, together, repaired, run.problem)
    wanted = reference(chapter, check, text, seed)
    found = difference(run.text, wanted)
    if not run.problem and not found:
        return Verdict(check, run.text, together, repaired)
    mistake = None
    if not together:
        part = chapter.part(check)
        mistake = recognised(part, run, lambda mistake: with_mistake(part.place, mistake, text, seed))
    return Verdict(check, run.text, together, repaired, run.problem, found, mistake)


@contextlib.contextmanager
def without(twins: Iterable[str]) -> Iterator[None]:
    """Take what does the same as a part out of the engine for as long as the block runs, as a grading does."""
    with contextlib.ExitStack() as undo:
        for twin in twins:
            module, path = twin.split(":")
            *owners, name = path.split(".")
            owner = functools.reduce(getattr, owners, importlib.import_module(module))

            def refuse(*_: Any, path: str = path, **__: Any) -> None:
                raise NotImplementedError(f"{path} is not here where a part that does the same is checked")

            undo.enter_context(program.replaced(owner, name, refuse))
        yield


def recognised(part: Part, run: program.Run, run_of: Callable[[Mistake], program.Run]) -> Mistake | None:
    """The known mistake of the part that prints exactly what was printed, and stops in the same way.

    `run_of` gives what the check comes to with a mistake. Two mistakes may stop with the same type of error at the
    same place. So one that says the same words goes first.
    """
    in_other_words = None
    for mistake in part.mistakes:
        again = run_of(mistake)
        if not alike(again.text, run.text) or not same_end(again.problem, run.problem):
            continue
        if error_of(again.problem) == error_of(run.problem):
            return mistake
        if may_differ(again.problem, run.problem):
            in_other_words = in_other_words or mistake
    return in_other_words


def with_mistake(place: Place, mistake: Mistake, text: str, seed: int) -> program.Run:
    """Run a program with a mistake in the place of its part."""
    return program.run_with(text, minigrad, seed, [place], {place.name: mistake.answer}, seconds=MISTAKE_SECONDS)


def same_end(one: Problem | None, other: Problem | None) -> bool:
    """True if both ran to the end, or both stopped with the same type of error."""
    if one is None or other is None:
        return one is other
    return one.kind == other.kind and ending(one) == ending(other)


def may_differ(one: Problem | None, other: Problem | None) -> bool:
    """True if two errors of one type may come from one mistake.

    How Python and numpy word an error hangs on how a line is spelled. But a RuntimeError is torch's own, and says what
    is wrong: there only the numbers may be others.
    """
    ours, theirs = error_of(one), error_of(other)
    return not ours.startswith(RuntimeError.__name__) or skeleton(ours) == skeleton(theirs)


def ending(problem: Problem) -> str:
    """The type of error that a problem's sentence ends with."""
    return error_of(problem).partition(":")[0]


def error_of(problem: Problem | None) -> str:
    """The error that a problem's sentence ends with, its type and its words; "" if there was none.

    A RecursionError has no words: they hang on what Python was about when the stack was full.
    """
    words = problem.message.rpartition("stopped with ")[2] if problem else ""
    return RecursionError.__name__ if words.startswith(RecursionError.__name__) else words
