"""Judge the checks of a submission as `checks.verdicts` does, with a runner that runs each in the sandbox.

The answers are the only part of a submission that is ever used. Nothing else in the file counts: no outputs, no checks,
no metadata. If the file was tampered with in a way that a person should know about, a notice says so; if nothing can be
read from it at all, `Unreadable` does. The file is opened for reading only.

The references are recorded by torch in this process, with the seed of this grading. The submission runs in another
process, which has no torch, no reference, no mistake, and no version of ours of the part in question.
"""

from __future__ import annotations

import dataclasses
import functools
import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import minigrad
from minigrad_course.checks.reference import program_of, reference, solutions
from minigrad_course.checks.verdicts import MISTAKE_SECONDS, NOISE, PRINTS, Verdict, judge, with_mistake
from minigrad_course.grading.judge import job, strip
from minigrad_course.grading.judge.sandbox import MOST_TEMPLATES, Sandbox
from minigrad_course.grading.judge.strip import engine, left_out, places_of, text_of
from minigrad_course.grading.records.record import Limits, drawn_seed, plain
from minigrad_course.parts import Chapter, Mistake, chapter_named, chapters
from minigrad_course.programs import cells, compare, program
from minigrad_course.programs.problems import Problem
from minigrad_course.programs.program import Run
from minigrad_course.texts import source
from minigrad_course.texts.submitted import Unreadable, as_given, code_cells, content_of, found_answers, loaded

OURS = ("minigrad", "nbgrader")  # the metadata of a check
MOST_IDS = 5  # duplicate ids that are listed individually


# --- what was handed in ---------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Early:
    """A check's run from before its reference was there, and the seconds that it took."""

    run: Run
    seconds: float


@dataclasses.dataclass(frozen=True)
class Submission:
    """One student's completed exercise: the source of each answer, by part, and notices for a person to read.

    `suspects`: the parts whose check the judge had to stop by force. `early`: by check, what has run already.
    """

    path: Path
    chapter: Chapter
    answers: dict[str, str]
    notices: tuple[str, ...] = ()
    suspects: set[str] = dataclasses.field(default_factory=set)
    early: dict[str, Early] = dataclasses.field(default_factory=dict)

    @functools.cached_property
    def as_given(self) -> frozenset[str]:
        """The parts whose answer is what the exercise gives."""
        return as_given(self.chapter.name, self.answers)


def read_submission(path: Path) -> Submission:
    """The answers of a submission. Unreadable if it is not a notebook of this course."""
    return submission_of(path, content_of(path))


def submission_of(path: Path, content: bytes) -> Submission:
    """The answers in a file's content; `path` is only a label and is not opened."""
    notebook = loaded(content)
    cells = code_cells(notebook)
    notices: list[str] = []
    chapter = recognised(notebook, cells, notices)
    pristine = pristine_exercise(chapter.name)
    notices += doubled_ids(notebook)
    twice: dict[str, str] = {}
    answers = found_answers(pristine, cells, twice)
    notices += twice.values()
    notices += changed_checks(pristine, cells)
    return Submission(path, chapter, answers, tuple(notices))


@functools.cache
def pristine_exercise(name: str) -> Any:
    """The pristine exercise, cached: do not change it."""
    return source.notebook("exercises", name)


def recognised(notebook: dict[str, Any], cells: list[dict[str, Any]], notices: list[str]) -> Chapter:
    """The chapter whose exercise this is, by the notebook's metadata, else by its parts."""
    ours = notebook.get("metadata", {}).get("minigrad")
    kind, called = (ours.get("kind"), ours.get("name")) if isinstance(ours, dict) else (None, None)
    if isinstance(called, str):
        chapter = chapter_named(called)
        if chapter and kind in ("exercises", "solutions"):
            return chapter
    named = {name for cell in cells for name in source.PART.findall(cell["source"])}
    counts = {chapter.name: sum(part.name in named for part in chapter.parts) for chapter in chapters()}
    likely = max(chapters(), key=lambda chapter: counts[chapter.name])
    if not counts[likely.name]:
        lesson = kind == "lessons"
        raise Unreadable(
            "this is a lesson, not an exercise." if lesson else "this is not one of the course's exercises."
        )
    notices.append(f"it does not say which exercise it is, as some programs remove that; by its parts, {likely.name}.")
    return likely


def doubled_ids(notebook: dict[str, Any]) -> list[str]:
    """A notice for each cell id that occurs twice."""
    counts = Counter(each for cell in notebook["cells"] if isinstance(each := cell.get("id"), str))
    doubled = sorted(item for item, count in counts.items() if count > 1)
    notices = [f"{counts[item]} cells have the id {item[:100]!r}." for item in doubled[:MOST_IDS]]
    more = len(doubled) - len(notices)
    return notices + ([f"{more} more ids belong to several cells."] if more else [])


def changed_checks(pristine: Any, cells: list[dict[str, Any]]) -> list[str]:
    """A notice for each check that is not ours any more, and one for lost metadata. Ours is run in any case."""
    notices = []
    bare = []
    for wanted in pristine.cells:
        name = wanted.metadata.get("minigrad", {}).get("check")
        if name is None:
            continue
        same = [cell for cell in cells if check_name(cell["source"]) == name]
        ours = [cell for cell in same if cell["source"].split() == wanted.source.split()]
        # the student's own checks next to ours are fine
        same = [cell for cell in same if cell.get("id") == wanted.id] or ours or same
        if not same:
            notices.append(f"the check of {name} is not there; ours was run.")
        elif max(len(same), len(ours)) > 1:
            notices.append(f"there are {max(len(same), len(ours))} checks of {name}; ours was run.")
        elif same[0]["source"].split() != wanted.source.split():
            notices.append(f"the check of {name} is not the one in the exercise; ours was run.")
        elif not same_metadata(same[0].get("metadata"), {key: wanted.metadata[key] for key in OURS}):
            bare.append(name)
    if bare:
        which, were = (f"the check of {bare[0]} has", "was") if len(bare) == 1 else (f"{len(bare)} checks have", "were")
        notices.append(f"{which} other metadata than in the exercise, as some programs remove it; ours {were} run.")
    return notices


def check_name(text: str) -> str | None:
    """The name after `%%check`, None for other cells."""
    match = source.CHECK.match(text)
    return match.group(1) if match else None


def same_metadata(found: Any, wanted: Any) -> bool:
    """True if our fields are unchanged; tools such as nbgrader may have added their own."""
    if not isinstance(wanted, dict):
        return bool(found == wanted)
    return isinstance(found, dict) and all(same_metadata(found.get(key), value) for key, value in wanted.items())


# --- what it comes to -----------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Result:
    """The verdict on one check as a grading keeps it: what it earns, and what to say about it in a line.

    Only a check that ran and printed what torch prints, the `reference`, earns the points that are `possible`.
    """

    verdict: Verdict
    possible: int
    reference: str

    @property
    def check(self) -> str:
        return self.verdict.check

    @property
    def passed(self) -> bool:
        return self.verdict.state == "passed"

    @property
    def points(self) -> int:
        return self.possible if self.passed else 0

    @property
    def word(self) -> str:
        """passed, wrong, or open: something is still to be written, or to be repaired."""
        return self.verdict.state

    @property
    def mistake(self) -> Mistake | None:
        return self.verdict.mistake

    @property
    def text(self) -> str:
        """What was printed; without what the answer prints, if more than that is wrong."""
        return self.verdict.heard if self.prints == "too" else self.verdict.text

    @property
    def prints(self) -> str:
        """Whether the answer prints: "only", if all else is right; "too", if something else is wrong; else ""."""
        verdict = self.verdict
        if not verdict.noisy or (verdict.problem and verdict.problem.kind == "output"):  # which says so itself
            return ""
        return "too" if verdict.problem or verdict.difference else "only"

    @property
    def problem(self) -> Problem | None:
        """What kept the check from passing, apart from a difference."""
        verdict = self.verdict
        if verdict.untouched and not self.passed and not (verdict.problem and verdict.problem.is_open):
            return Problem("untouched", still_given(verdict.untouched))
        return verdict.problem

    @property
    def what(self) -> str:
        """What differed, in one line; empty if nothing did."""
        if self.passed:
            return ""
        if self.prints == "only":
            return f"Y{PRINTS.format('what torch prints')}"
        return f"{NOISE} {self.reason}" if self.prints and self.word == "wrong" else self.reason

    @property
    def reason(self) -> str:
        """What differed, apart from what an answer prints."""
        if self.mistake and self.word == "wrong":
            return f"{self.mistake.explanation[0].upper()}{self.mistake.explanation[1:]}."
        if self.problem:
            return plain(self.problem.message) or "It stopped without giving a reason."
        assert self.verdict.difference is not None
        printed, wanted = self.verdict.difference.shown
        return f"{self.verdict.difference.what}: yours: {plain(printed.strip())}; torch: {plain(wanted.strip())}"


class Judge:
    """Judges submissions; a context manager, because it keeps the sandbox's processes.

    `seed` may change from one submission to the next: nothing that hangs on numbers is kept without it. All checks of
    one submission together may take `submission_seconds`.
    """

    def __init__(
        self,
        seed: int | None = None,
        limits: Limits | None = None,
        submission_seconds: float = 120.0,
    ):
        self.seed = drawn_seed() if seed is None else seed
        self.submission_seconds = submission_seconds
        self._references: dict[tuple[int, str, str], str] = {}
        self._prepared = ""  # the chapter whose engines are loaded
        self._mistakes: dict[tuple[int, str, str, str], Run] = {}
        self._beyond: dict[tuple[int, str, str, str], bool] = {}
        self.limits = limits or Limits()
        self._derivatives: dict[tuple[int, str, str], frozenset[str] | None] = {}

    def __enter__(self) -> Judge:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the processes of the sandboxes."""
        for name in ("sandbox", "bare"):
            if name in vars(self):
                vars(self)[name].close()

    @functools.cached_property
    def sandbox(self) -> Sandbox:
        """Where the checks run; nothing is started before there is one. Who only records references needs none."""
        sources, shared = engine()
        return Sandbox(sources, text_of(job), self.limits, shared=shared)

    @functools.cached_property
    def bare(self) -> Sandbox:
        """Where an engine of one's own runs: no process of it has ever had another."""
        return Sandbox(strip.BARE | strip.beside_the_engine(), text_of(job), self.limits)

    def sandbox_for(self, chapter: Chapter, check: str) -> Sandbox:
        """The sandbox for a check."""
        return self.bare if any(place.kind == "module" for place in chapter.places(check)) else self.sandbox

    def reference(self, chapter: Chapter, check: str) -> str:
        """What torch prints for a check of ours, with this seed; run once."""
        key = (self.seed, chapter.name, check)
        if key not in self._references:
            self._references[key] = reference(chapter, check, program_of(chapter, check), self.seed)
        return self._references[key]

    def references(self, chapter: Chapter) -> dict[tuple[str, str], str]:
        """What torch prints for all checks of a chapter, in the form that `know` takes."""
        return {(chapter.name, check): self.reference(chapter, check) for check in chapter.checks}

    def know(self, references: Mapping[tuple[str, str], str]) -> None:
        """Take over what torch printed elsewhere for the same seed; it is then not needed here."""
        self._references.update({(self.seed, *key): text for key, text in references.items()})

    def prepare(self, chapter: Chapter) -> None:
        """Have the engines of a chapter's checks loaded, unless they are; those of other chapters may end for that."""
        if chapter.name != self._prepared:
            self._prepared = chapter.name
            self.sandbox.most_templates = max(MOST_TEMPLATES, len(chapter.checks))
            for check in chapter.checks:
                self.derivatives(chapter, check)  # all of them first: meanwhile the sandbox starts
            for check in chapter.checks:
                known = {"cells": setup_cells(chapter), "programs": [program_of(chapter, check)]}
                if self.sandbox_for(chapter, check) is self.sandbox:
                    self.sandbox.prepare(left_out(chapter, check), self.derivatives(chapter, check), known)
            strip.keep()

    def derivatives(self, chapter: Chapter, check: str) -> frozenset[str] | None:
        """The operations that a check needs to differentiate, None for all; found out once."""
        key = (self.seed, chapter.name, check)
        if key not in self._derivatives:
            self._derivatives[key] = strip.needed_derivatives(chapter, check, program_of(chapter, check), self.seed)
        return self._derivatives[key]

    def lends(self, chapter: Chapter, check: str) -> bool:
        """Whether answers may have something differentiated: one that is an operation gives its own derivative."""
        return not all(place.node for place in chapter.places(check))

    def result(self, submission: Submission, check: str, earlier: Mapping[str, Result] | None = None) -> Result:
        """Run one check with the submission's answers, and return the result.

        `earlier` are results of the same submission that are there already: the last check asks for those of its parts.
        """
        earlier = earlier or {}
        if check == submission.chapter.together and (endless := endless_parts(earlier)):
            sentence = f"It was not run, because it needs {' and '.join(endless)}, which did not end."
            return self.verdict(Confined(self, submission, check, problem=Problem("parts", sentence)))
        return self.verdict(Confined(self, submission, check, earlier))

    def not_run(self, submission: Submission, check: str) -> Result:
        """The result of a check for which the submission's time was over."""
        sentence = (
            f"It was not run: the checks before it took more than {self.submission_seconds:.3g} seconds in total, and "
            "all notebooks of one student share this time."
        )
        return self.verdict(Confined(self, submission, check, problem=Problem("time", sentence)))

    def verdict(self, runner: Confined) -> Result:
        """The verdict on a check of a submission, and what it earns."""
        chapter, check = runner.chapter, runner.check
        return Result(judge(runner), chapter.points(check), self.reference(chapter, check))

    def unearned(self, submission: Submission, earlier: Mapping[str, Result]) -> Problem | None:
        """Why a last check that prints what torch prints earns nothing; None if it does earn its points.

        Its engine has every derivative, because the parts that are programs may use any operation. So an answer that
        borrows a derivative, and fails its own check for it, would print the right text here. A part that fails in a
        known way which the last check cannot show has borrowed nothing.
        """
        chapter = submission.chapter
        results = [earlier.get(part.name) or self.result(submission, part.name) for part in chapter.parts]
        failed = [result.check for result in results if not result.passed and not self.is_beyond(chapter, result)]
        if not failed:
            return None
        which = " and ".join(failed) + (" does not" if len(failed) == 1 else " do not")
        return Problem("parts", f"It counts only if the parts in it pass their own checks, and {which}.")

    def is_beyond(self, chapter: Chapter, result: Result) -> bool:
        """True if the check of a part failed by a known mistake with which the last check passes; found out once."""
        if result.mistake is None or result.verdict.tried or result.prints:
            return False
        key = self.seed, chapter.name, result.check, result.mistake.name
        if key not in self._beyond:
            check, answers = chapter.together, dict(solutions(chapter.name))
            answers |= chapter.answered(result.check, result.mistake.answer)
            text, places = program_of(chapter, check), chapter.places(check)
            once = functools.partial(
                program.run_with, text, minigrad, self.seed, places, answers, seconds=MISTAKE_SECONDS
            )
            run = program.as_each_torch(minigrad, once)  # whichever torch is installed, the points are the same
            self._beyond[key] = not run.problem and compare.alike(run.text, self.reference(chapter, check))
        return self._beyond[key]

    def run_of(self, chapter: Chapter, check: str, mistake: Mistake) -> Run:
        """Run a check with a known mistake; cached."""
        key = self.seed, chapter.name, check, mistake.name
        if key not in self._mistakes:
            place = chapter.part(check).place
            self._mistakes[key] = with_mistake(place, mistake, program_of(chapter, check), self.seed)
        return self._mistakes[key]

    def run(self, submission: Submission, check: str) -> Run:
        """Run a check with the submission's answers in the sandbox.

        An answer's own cell is nearly always enough. Where it is not, the cells of the parts above it run before it.
        One of them may end the process, or hang where no limit of a cell reaches it, in a function of C. That is to
        cost its own part only: its own check finds that out, and the later ones run without it, if they can.
        """
        chapter = submission.chapter
        if missing := missing_answers(submission, check):
            return Run("", Problem("missing", f"there is no cell that answers {' and '.join(missing)}."))
        every = cells_before(submission, check)
        own = first_cells(submission, check)
        early = submission.early.pop(check, None)
        run = early.run if early else self.run_cells(submission, check, own)
        if check == chapter.together:
            return run
        if ended_by_force(run):
            submission.suspects.add(check)
        if len(own) == len(every) or not self.may_lack_something(submission, check, run):
            return run
        some = [cell for cell in every if cell in own or cell["part"] not in submission.suspects]
        another = self.run_cells(submission, check, some)
        if len(some) < len(every) and self.may_lack_something(submission, check, another):
            last = self.run_cells(submission, check, every)  # it may need what the suspects define
            another = another if ended_by_force(last) else last
        return run if ended_by_force(another) else another

    def run_early(self, submission: Submission) -> dict[str, Early]:
        """Run each check as it is run first, without a reference; one that is stopped by force is the last."""
        runs: dict[str, Early] = {}
        for check in submission.chapter.checks:
            if missing_answers(submission, check):
                continue
            started = time.perf_counter()
            run = self.run_cells(submission, check, first_cells(submission, check))
            runs[check] = Early(run, time.perf_counter() - started)
            if ended_by_force(run):
                break
        return runs

    def may_lack_something(self, submission: Submission, check: str, run: Run) -> bool:
        """True if a run may have failed because a cell above was missing."""
        if run.problem:
            return run.problem.kind not in ENDS and run.problem.kind != "unfinished"
        return compare.difference(run.text, self.reference(submission.chapter, check)) is not None

    def run_cells(self, submission: Submission, check: str, some: list[dict[str, Any]], text: str = "") -> Run:
        """What a check prints after some of the submission's cells; or another program, in the check's place."""
        places = places_of(submission.chapter, check)
        text = text or program_of(submission.chapter, check)
        lends = self.lends(submission.chapter, check)
        task = {"cells": some, "places": places, "program": text, "seed": self.seed, "lends": lends}
        needed = self.derivatives(submission.chapter, check)
        sandbox = self.sandbox_for(submission.chapter, check)
        lacks = left_out(submission.chapter, check) if sandbox is self.sandbox else []
        outcome = sandbox.run(task, leave_out=lacks, derivatives=needed)
        problem = Problem(outcome.problem, outcome.message) if outcome.problem else None
        return Run(outcome.text, problem, outcome.quiet)


@dataclasses.dataclass(frozen=True)
class Confined:
    """A check that runs in the sandbox, with the answers of a submission: a `verdicts.Runner`.

    `problem` says why it is not to run, None if it is; `earlier` are the results there are.
    """

    judge: Judge
    submission: Submission
    check: str
    earlier: Mapping[str, Result] = dataclasses.field(default_factory=dict)
    problem: Problem | None = None
    language: str = ""

    @property
    def chapter(self) -> Chapter:
        return self.submission.chapter

    @property
    def untouched(self) -> Collection[str]:
        return () if self.problem else self.submission.as_given

    def run(self) -> Run:
        return Run("", self.problem) if self.problem else self.judge.run(self.submission, self.check)

    def run_program(self, text: str) -> Run:
        suspects = self.submission.suspects - {self.check}
        some = [cell for cell in cells_before(self.submission, self.check) if cell["part"] not in suspects]
        return self.judge.run_cells(self.submission, self.check, some, text)

    def run_mistake(self, mistake: Mistake) -> Run:
        return self.judge.run_of(self.chapter, self.check, mistake)

    def reference(self) -> str:
        return self.judge.reference(self.chapter, self.check)

    def answer_text(self) -> str:
        return ""  # a sandbox is too slow to try an answer's text a hundred times

    def is_right_with(self, text: str, wanted: str) -> bool:
        return False

    def objection(self) -> Problem | None:
        if self.check != self.chapter.together:
            return None
        return self.judge.unearned(self.submission, self.earlier)


def still_given(parts: Sequence[str]) -> str:
    """The sentence for answers that nobody has changed."""
    if len(parts) == 1:
        return f"`{parts[0]}` is still as it was given."
    return f"{', '.join(f'`{part}`' for part in parts[:-1])} and `{parts[-1]}` are still as they were given."


def endless_parts(results: Mapping[str, Result]) -> list[str]:
    """The parts whose own checks were stopped by the clock: the last check would wait for each of them once more."""
    return [name for name, result in results.items() if result.problem and result.problem.kind == "time"]


def ended_by_force(run: Run) -> bool:
    """True if a run was stopped by force."""
    return run.problem is not None and run.problem.kind in ("died", "time")


ENDS = ("died", "time", "memory", "output")  # the kinds of problems that no other cell would mend


@functools.cache
def _cells(name: str) -> list[tuple[source.Cell, str]]:
    """The cells of the solution, each with its source if it is one of ours that runs."""
    return [
        (cell, cells.without_magics(cell.source) if cell.role == "setup" else "")
        for cell in source.read("solutions", name).cells
    ]


def setup_cells(chapter: Chapter) -> list[str]:
    """The sources of the cells of ours that run before any answer."""
    return [ours for cell, ours in _cells(chapter.name) if cell.role == "setup"]


def missing_answers(submission: Submission, check: str) -> list[str]:
    """The parts in a check that the submission has no cell for."""
    return [place.name for place in submission.chapter.places(check) if place.name not in submission.answers]


def first_cells(submission: Submission, check: str) -> list[dict[str, Any]]:
    """The cells with which a check is tried first: the answer's own for a part, all for the last check."""
    every = cells_before(submission, check)
    if check == submission.chapter.together:
        return every
    return [cell for cell in every if cell["part"] in (None, check)]


def cells_before(submission: Submission, check: str) -> list[dict[str, Any]]:
    """The cells that run before a check: our imports, and the submission's answers to it and to what precedes it."""
    output: list[dict[str, Any]] = []
    for cell, ours in _cells(submission.chapter.name):
        if cell.role == "setup":
            output.append({"source": ours, "part": None})
        elif cell.role == "answer" and cell.parts[0] in submission.answers:
            part = check if check in cell.parts else cell.parts[0]
            module = {"module": cell.parts} if cell.is_module else {}
            output.append({"source": submission.answers[part], "part": part, **module})
        elif cell.role == "check" and cell.part == check:
            break
    return output
