"""Judge a saved exercise check by check, in the same way as `%%check` and with our own programs.

Only the answer cells run, after our setup cell, as in a grading; definitions in other cells do not count.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import io
import os
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NoReturn

from minigrad_course.checks import names, patience, repairs
from minigrad_course.checks.reference import NoReference
from minigrad_course.checks.verdicts import Here, Verdict, judge
from minigrad_course.parts import Chapter, chapters
from minigrad_course.programs import cells
from minigrad_course.programs.problems import Problem, mistyped
from minigrad_course.programs.program import Answers
from minigrad_course.texts import source, words
from minigrad_course.texts.folders import typed, way_back
from minigrad_course.texts.submitted import Unreadable, as_given, code_cells, content_of, found_answers, loaded


@dataclasses.dataclass(frozen=True)
class Outcome:
    """The result of one check of an exercise.

    state: "passed", "open" (there is still something to write), "wrong", or "unknown" (it could not be judged).
    `why` is empty if the part is done or not started. `notes` say what a grading will not allow, or would not see.
    """

    chapter: Chapter
    check: str
    state: str
    why: str = ""
    verdict: Verdict | None = None
    answer: object = None
    notes: tuple[str, ...] = ()
    unread: bool = False  # the notebook could not be read, and `why` ends with what is to be typed

    @property
    def sentence(self) -> str:
        """Why it is as it is, with a full stop unless that would be typed as well."""
        return self.why if self.unread else f"{self.why}."

    @property
    def remark(self) -> str:
        """What there is to say about it in a line."""
        return self.why or " ".join(self.notes).removesuffix(".")


@dataclasses.dataclass
class HandedOver:
    """The answers of an exercise and their cells, a sentence for each that failed, and what nobody has touched.

    `strangers` are the names in an @part of the file that no part has. `twice` has a sentence for each part that
    several cells answer.
    """

    answers: Answers
    failures: dict[str, str]
    untouched: frozenset[str]
    path: Path
    sources: dict[str, str]
    language: str = ""
    strangers: frozenset[str] = frozenset()
    twice: dict[str, str] = dataclasses.field(default_factory=dict)


def judged(chapter: Chapter, path: Path, checks: Iterable[str]) -> Iterator[Outcome]:
    """Run some checks of a chapter with the answers in a file."""
    try:
        with kept_from_exit():
            handed = handed_over(chapter, path)
    except Unreadable as error:
        state = "unknown" if os.path.lexists(path) else "open"
        why = f"{path.name}: {error} {way_back(path)}"
        yield from (Outcome(chapter, check, state, why, unread=True) for check in checks)
        return
    programs = source.read("solutions", chapter.name).programs()
    for check in checks:
        with kept_from_exit():
            result = outcome(chapter, check, programs[check], handed)
        yield result


@contextlib.contextmanager
def kept_from_exit() -> Iterator[None]:
    """In the block `os._exit` stops an answer, and not the command, which has more to say of the others."""

    def leave(status: int) -> NoReturn:
        raise SystemExit(f"os._exit({status})")

    before, os._exit = os._exit, leave
    try:
        yield
    finally:
        os._exit = before


def outcome(chapter: Chapter, check: str, text: str, handed: HandedOver) -> Outcome:
    """Run one check."""
    cell, problem = handed.sources.get(check, ""), not_usable(chapter, check, handed)
    here = Here(
        chapter,
        check,
        text,
        handed.answers,
        problem=problem,
        untouched=handed.untouched,
        language=handed.language,
    )
    try:
        asks = functools.partial(patience.asks_in, handed.path, check, cell)
        verdict = repairs.held_back(judge(here), here, cell, asks)
    except NoReference as error:
        return Outcome(chapter, check, "unknown", f"it could not be judged: {error}")
    why = "" if verdict.untouched or verdict.state == "passed" else reason(verdict)
    refused = [] if verdict.state == "open" else names.refused_imports(chapter, check, handed.sources)
    twice = [f"{handed.twice[check]} Keep only one."] if check in handed.twice else []
    return Outcome(chapter, check, verdict.state, why, verdict, handed.answers.get(check), (*refused, *twice))


def not_usable(chapter: Chapter, check: str, handed: HandedOver) -> Problem | None:
    """Why a check cannot run: a part's cell failed, or does not define the part."""
    for place in chapter.places(check):
        together = check == chapter.together
        if failure := handed.failures.get(place.name):
            return Problem("cell", cells.needed(place.name, failure) if together else failure)
        if place.name not in handed.answers:
            which = f"your part `{place.name}`" if together else "it"
            then = mistyped(place.name, sorted(handed.strangers)) or again(place.name, handed)
            return Problem("missing", f'No cell defines {which} below @part("{place.name}").{then}')
    return None


def again(part: str, handed: HandedOver) -> str:
    """How a part gets its cell back."""
    text = handed.sources.get(part)
    if text is None:  # `renewal` brings back a cell that is gone, and only that
        return f" To get the original back: minigrad start {typed(handed.path.parent.parent)}"
    if text.strip() and part not in source.PART.findall(text):
        return " Put that line back on top of the cell."
    return f" To get the original back: minigrad reset {part}"


def reason(verdict: Verdict) -> str:
    """Why a part did not pass, in a few words."""
    if verdict.mistake:
        return words.explanation(verdict.mistake, verdict.language)
    return verdict.headline.partition(": ")[2].removesuffix(".")


def handed_over(chapter: Chapter, path: Path) -> HandedOver:
    """Run the answer cells of an exercise in a new namespace, after our setup cell. Unreadable if that fails."""
    pristine = source.notebook("exercises", chapter.name)
    notebook = loaded(content_of(path))
    written = code_cells(notebook)
    twice: dict[str, str] = {}
    sources, language = found_answers(pristine, written, twice), words.language_of(notebook)
    known = {part.name for chapter in chapters() for part in chapter.parts}
    strangers = frozenset(name for cell in written for name in source.PART.findall(cell["source"])) - known
    handed = HandedOver(Answers(), {}, as_given(chapter.name, sources), path, sources, language, strangers, twice)
    namespace: dict[str, object] = {"__name__": "__main__", "part": handed.answers.part}
    with contextlib.redirect_stderr(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for cell in source.read("solutions", chapter.name).cells:
            if cell.role == "setup":
                cells.run_cell(cell.source, namespace)
            elif cell.role == "answer" and cell.parts[0] in sources:
                text = sources[cell.parts[0]]
                if cell.is_module:
                    module, failure = cells.module_of(text)
                    handed.answers.update(dict.fromkeys(cell.parts, module))
                else:
                    failure = cells.run_cell(text, namespace)
                if failure:
                    handed.failures |= dict.fromkeys(cell.parts, failure)
    return handed
