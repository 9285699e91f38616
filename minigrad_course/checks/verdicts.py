"""The one way from an answer to a verdict: run the program with it, compare with what torch prints, say what differs.

The notebook, the terminal and the grader call `judge`, and differ in where the program runs and how a verdict is shown.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import html
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Protocol

import minigrad
from minigrad import parts
from minigrad_course.checks import edits, probes
from minigrad_course.checks.patience import program_of
from minigrad_course.checks.reference import reference
from minigrad_course.checks.twins import twins
from minigrad_course.parts import Chapter, Deviation, Mistake, Part, Several
from minigrad_course.programs import columns, program
from minigrad_course.programs.compare import Difference, alike, difference, skeleton
from minigrad_course.programs.problems import MEANT, Problem
from minigrad_course.programs.program import Place
from minigrad_course.texts import words

SEED = 20  # in a notebook; each grading draws its own
SECONDS = 10.0
MISTAKE_SECONDS = 2.0
TRY_SECONDS = 0.5

# Okabe and Ito's green, vermillion and blue; the words say the same without the colour.
COLOURS = {"passed": "#009E73", "wrong": "#D55E00", "open": "#0072B2"}

EXACT = ("RuntimeError", "AttributeError", "NameError", "UnboundLocalError")  # whose words tell mistakes apart

PRINTS = "our answer prints. Remove the print: everything else is {}."
NOISE = "Your answer prints; remove the print. Its lines are left out here."
HINT = "run %hint {} in a cell of its own"  # how to get a hint in a notebook
HINT_IN_TERMINAL = "run minigrad hint {}"
ASKS = {
    "given": "What is wrong with the program?",
    "the same": "You changed the program, and it still does what it did. What is wrong with it?",
    "something else": "The program does something else now, but not yet what it should. What was wrong with it?",
}


@dataclasses.dataclass(frozen=True)
class Verdict:
    """The result of a check. state: "passed", "wrong", or "open" (there is still something to write)."""

    check: str
    text: str
    together: bool = False
    repaired: bool = False  # all its parts are programs: compare with what our own answers print under torch
    problem: Problem | None = None
    difference: Difference | None = None
    mistake: Mistake | None = None
    # what the part's probe shows, where the check does not: a mistake "wholly" or "partly", "several" at once, or how
    # the answer "deviates" from the right numbers
    tried: str = ""
    edit: Mistake | None = None  # the place of the answer's text that makes the difference; not looked for in a grading
    noisy: bool = False  # the answer prints: only what the program itself printed is compared
    untouched: tuple[str, ...] = ()  # its parts whose cells are what the exercise gives: nobody's mistake
    asks: str = ""  # for a diagnosis first, of a program as "given", or that does "the same" or "something else"
    heard: str = ""  # what is compared with the target
    wanted: str = ""  # the target: what torch prints
    place: str = ""  # "part 1 of 9", in the exercise
    language: str = ""  # of the exercise; "" for English
    then: str = ""  # the name of the next check

    @property
    def state(self) -> str:
        if not (self.problem or self.difference or self.noisy):
            return "passed"
        return "open" if self.untouched or (self.problem and self.problem.is_open) else "wrong"

    @property
    def names_a_fault(self) -> bool:
        """True if it may give away what is wrong with a program to debug."""
        unwritten = self.problem is not None and self.problem.is_open
        extra = self.difference is not None and self.difference.is_extra
        return self.state != "passed" and not unwritten and not extra

    @property
    def headline(self) -> str:
        then = f"After it comes {self.then}." if self.then else "That was the last check of this exercise."
        return f"{self.sentence} {then}" if self.state == "passed" else self.sentence

    @property
    def sentence(self) -> str:
        """The headline, without what comes next in the exercise."""
        right = f"what {'it should' if self.repaired else 'torch prints'}"
        if self.state == "passed":
            return f"✓ {self.check}, {self.place}: it prints {right}."
        if self.noisy and not self.problem and not self.difference:
            return f"✗ {self.check}: y{PRINTS.format(right)}"
        mark = "…" if self.state == "open" else "✗"
        if self.problem:
            return f"{mark} {self.check}: {self.problem.message}"
        assert self.difference is not None
        wanted = "it should print" if self.repaired else "torch prints"
        if self.difference.is_extra:
            return f"✗ {self.check}: it prints more than it should; {self.difference.what}."
        given = "still as it was given, and " if self.untouched else ""
        return f"{mark} {self.check}: {given}not what {wanted}; {self.difference.what}."

    @property
    def advice(self) -> str:
        """Advice for a notebook."""
        return self.advice_with(HINT)

    def advice_with(self, hint: str) -> str:
        """The mistake that prints the same, if there is one, else how to get a hint; `hint` is the way to ask."""
        if self.state == "passed" or (self.noisy and not self.problem and not self.difference):
            return ""
        if self.together:
            return "The checks above test the parts one by one: start with the first one that fails."
        if self.asks:
            command = f"minigrad diagnose {self.check}{hint.partition('{}')[2]}"
            above = "above it" if hint == HINT else f"with {command}, or in the notebook"
            return f"{ASKS[self.asks]} Choose a diagnosis {above}. Then repair it, and check again."
        noise = f"{NOISE} " if self.noisy else ""
        said = explained(self.mistake, self.tried, self.language) if self.mistake else ""
        if self.edit:
            count = "edited twice" if isinstance(self.edit, Several) else "edited"
            return " ".join(filter(None, [noise.strip(), said, explained(self.edit, count, self.language)]))
        if said and not probes.says_only_where(self.mistake):
            return noise + said
        if self.difference and self.difference.is_extra:
            return "Remove that: only the program should print."
        if self.problem and (self.problem.kind in ("cell", "missing") or ending(self.problem) == "NameError"):
            return noise.rstrip()  # what is wrong has been said: a hint is about what to compute
        return f"{noise}{said}{' ' if said else ''}For a hint, {hint.format(self.check)}."

    def lines(self) -> list[tuple[str, str]]:
        """The first pair of lines that differ, labelled; none if an error came before that line."""
        if not self.difference or (self.problem and not self.difference.printed.strip()):
            return []
        return list(zip(("yours", self.target), self.difference.shown, strict=True))

    @property
    def target(self) -> str:
        """A word for what a check wants to see."""
        return "right" if self.repaired else "torch"

    def told(self, hint: str = HINT) -> str:
        """The verdict as lines of text."""
        lines = [f"   {label}: {text}" for label, text in self.lines()]
        advice = self.advice_with(hint)
        return "\n".join([self.headline, *lines, *([f"   {advice}"] if advice else [])])

    def __repr__(self) -> str:
        return self.told()

    def _repr_html_(self) -> str:
        name, sentence = self.headline.split(": ", 1)
        advice = f"<div>{with_code(self.advice)}</div>" if self.advice else ""
        return (
            f'<div style="border-left:4px solid {COLOURS[self.state]};padding:2px 0 2px 10px">'
            f"<strong>{html.escape(name)}:</strong> {with_code(sentence)}{advice}{self.beside()}</div>"
        )

    def beside(self) -> str:
        """What was printed beside the target, as HTML; the target alone where nothing was printed."""
        if self.state == "passed" or not self.wanted:
            return ""
        return columns.render(self.heard or None, self.wanted, self.target, self.difference if self.lines() else None)

    def plain(self) -> str:
        """The verdict and both texts, for whoever sees no HTML."""
        if self.state == "passed" or not self.wanted:
            return self.told()
        return self.told() + columns.plain(self.heard, self.wanted, self.target)


def with_code(sentence: str) -> str:
    """A sentence as HTML, with text in backticks as code, and a *word* stressed."""
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(sentence))
    return re.sub(r"(?<!\S)\*(\w+)\*(?![\w*])", r"<em>\1</em>", text)


def explained(mistake: Mistake, tried: str, language: str = "") -> str:
    """The sentence for a recognised mistake."""
    return words.words(language).explained(words.explanation(mistake, language), tried)


# --- the one way from an answer to a verdict -----------------------------------------------------


class Runner(Protocol):
    """Where a check runs with somebody's answers: in this process (`Here`), or in the sandbox of a grading.

    `untouched` are the parts whose answer is what the exercise gives, `language` that of the exercise, "" for English.
    """

    @property
    def chapter(self) -> Chapter: ...

    @property
    def check(self) -> str: ...

    @property
    def untouched(self) -> Collection[str]: ...

    @property
    def language(self) -> str: ...

    def run(self) -> program.Run:
        """Run the program of the check with the answers; a run with a problem if that is not possible."""

    def run_program(self, text: str) -> program.Run:
        """Run another program with the answers."""

    def run_mistake(self, mistake: Mistake) -> program.Run:
        """Run the program of the check with a known mistake in the place of its part."""

    def reference(self) -> str:
        """What torch prints for the program. NoReference if it does not finish there."""

    def objection(self) -> Problem | None:
        """Why an output that is right counts for nothing; None where it counts."""

    def answer_text(self) -> str:
        """The text of the answer's cell; "" where it is not known, or is not to be changed and tried."""

    def is_right_with(self, text: str, wanted: str) -> bool:
        """True if another text in the place of the answer's cell prints what torch prints, which is `wanted`."""


# The kinds of problems that leave nothing to compare: the program of the check has not run, or only to a stub.
NOT_RUN = ("missing", "unfinished", "untouched", "answer", "cell", "parts")


def judge(runner: Runner) -> Verdict:
    """Program, run, comparison, verdict: what a check comes to, in the notebook, in the terminal and in a grading."""
    chapter, check = runner.chapter, runner.check
    places, together = chapter.places(check), check == chapter.together
    where = chapter.checks.index(check) + 1
    say = functools.partial(
        Verdict,
        check,
        together=together,
        repaired=all(place.kind == "program" for place in places),
        untouched=tuple(place.name for place in places if place.name in runner.untouched),
        place=f"part {where} of {len(chapter.checks)}",
        language=runner.language,
        then="".join(chapter.checks[where : where + 1]),
    )
    run = runner.run()
    heard = without_prints(run, places)
    noisy = heard is not run
    if run.problem and run.problem.kind in NOT_RUN:
        return say(heard.text, problem=run.problem)
    wanted = runner.reference()
    say = functools.partial(say, heard=heard.text, wanted=wanted)
    if (not run.problem or run.is_objected) and not difference(run.text, wanted):
        return say(run.text, problem=run.problem or runner.objection())
    run, heard = run.without_objection(), heard.without_objection()
    result = difference(heard.text, wanted)
    say = functools.partial(say, run.text, problem=run.problem, difference=result, noisy=noisy)
    # what is wrong with a program as it was given is for the learner to find, if no diagnosis is asked for first
    if together or (check in runner.untouched and program_of(check) is None):
        return say()
    # what was stopped by a limit is not explained: that would run the answer once more, as long again
    if not (heard.problem.kind == "program" if heard.problem else result):
        return say()
    mistake, tried = explanation(chapter, chapter.part(check), heard, runner.run_mistake, runner.run_program, wanted)
    vague = mistake is None or tried == "partly" or not probes.is_precise(mistake)
    return say(mistake=mistake, tried=tried, edit=edited(runner, wanted) if vague else None)


def edited(runner: Runner, wanted: str) -> Mistake | None:
    """The place of an answer with which it is wrong, or two.

    None for what is as it was given: to find that place is the exercise.
    """
    text, check = runner.answer_text(), runner.check
    if not text or check in runner.untouched:
        return None
    given, ours = edits.texts_of(runner.chapter.name, check)
    return edits.recognised(check, text, given, ours, lambda other: runner.is_right_with(other, wanted))


@dataclasses.dataclass(frozen=True)
class Here:
    """A check that runs in this process: the program `text` on minigrad, with the answers in place of its parts.

    `problem` says why it cannot run, None if it can; the rest is as in `Runner`.
    """

    chapter: Chapter
    check: str
    text: str
    answers: dict[str, object]
    seed: int = SEED
    problem: Problem | None = None
    untouched: Collection[str] = ()
    language: str = ""
    seconds: float | None = None  # of each run; None for as long as a check may take

    @property
    def places(self) -> list[Place]:
        return self.chapter.places(self.check)

    def run(self) -> program.Run:
        if self.problem:
            return program.Run("", self.problem)
        if self.check == self.chapter.together and any(place.torches for place in self.places):
            return program.as_each_torch(minigrad, functools.partial(self.run_program, self.text))
        return self.run_program(self.text)

    def run_program(self, text: str) -> program.Run:
        # The grader's engine lacks each part, including one that the program gets by name.
        places = [place for place in self.places if place.kind == "program" and "." in place.module]
        ours = [f"{place.module}:{place.attribute}" for place in places]
        with without([*twins(self.chapter.name, self.check), *ours]):
            seconds = SECONDS if self.seconds is None else self.seconds
            return program.run_with(text, minigrad, self.seed, self.places, self.answers, seconds=seconds)

    def run_mistake(self, mistake: Mistake) -> program.Run:
        return with_mistake(self.chapter.part(self.check).place, mistake, self.text, self.seed)

    def reference(self) -> str:
        return reference(self.chapter, self.check, self.text, self.seed)

    def objection(self) -> Problem | None:
        return None

    def answer_text(self) -> str:
        return edits.cell_of(self.answers.get(self.check))

    def is_right_with(self, text: str, wanted: str) -> bool:
        part = self.chapter.part(self.check)
        answer = edits.answer_of(text, self.answers[self.check], self.check)
        if answer is None:
            return False
        other = dataclasses.replace(
            self, answers=self.answers | self.chapter.answered(self.check, answer), seconds=TRY_SECONDS
        )
        if part.probe:
            told = probes.told(other.run_program(probes.text_of(part)))
            if not probes.is_right(told, probes.told_with(self.chapter, part, None)):
                return False
        run = other.run()
        return not run.problem and not difference(run.text, wanted)


def without_prints(run: program.Run, places: Iterable[Place]) -> program.Run:
    """A run without what its answers printed; the same run if they printed nothing, or are programs, which may."""
    if run.quiet is None or any(place.kind == "program" for place in places):
        return run
    return program.Run(run.quiet, run.problem)


@contextlib.contextmanager
def without(names: Iterable[str]) -> Iterator[None]:
    """While the block runs, take everything that does the same as a part out of the engine, as a grading does."""
    with contextlib.ExitStack() as undo:
        for name in names:
            path = name.partition(":")[2]

            def refuse(*_: object, path: str = path, **__: object) -> None:
                raise NotImplementedError(f"{path} is not available while a part that does the same is checked")

            undo.enter_context(parts.replace(name.replace(":", "."), refuse))
        yield


def explanation(
    chapter: Chapter,
    part: Part,
    run: program.Run,
    run_of: Callable[[Mistake], program.Run],
    run_program: Callable[[str], program.Run],
    wanted: str,
) -> tuple[Mistake | None, str]:
    """The known mistake behind a failed check, and how much of it only the part's probe shows.

    `run_of` runs the check with a mistake, `run_program` runs a program with the answer; torch prints `wanted`. Several
    mistakes may print the same, or stop the check with the same error; small inputs tell them apart.
    """
    shown = recognised(part, run, run_of)
    given, tried = probes.recognised(chapter, part, run_program, shown)
    if run.problem and given and probes.says_only_where(given) and part.place.kind != "module":
        given = None  # the check has stopped, and says where
    if (
        given
        and given is not shown
        and not isinstance(given, Deviation | Several)
        and not starts_alike(run, run_of(given), wanted)
    ):
        given = None  # the check contradicts it
    if shown and not run.problem and (given is None or tried == "partly" or probes.is_weak(part, given)):
        given = shown
    if given is None and ending(run.problem) == RecursionError.__name__:  # whatever it found on the way
        given = shown = next((mistake for mistake in part.mistakes if mistake.name == "recursive"), None)
    return given, "" if given in (None, shown) else tried


def recognised(part: Part, run: program.Run, run_of: Callable[[Mistake], program.Run]) -> Mistake | None:
    """The known mistake of the part that prints exactly the same and stops in the same way.

    `run_of` runs the check with a mistake. Two mistakes may stop with the same type of error at the same place, so
    one with the same error message comes first.
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
    answers = {place.name: mistake.answer}
    run = program.run_with(text, minigrad, seed, [place], answers, objects=False, seconds=MISTAKE_SECONDS)
    return run.without_objection()


def starts_alike(run: program.Run, again: program.Run, wanted: str) -> bool:
    """True if a run with a mistake has the same first wrong line as an answer's, or if either was stopped before."""
    if run.problem or again.problem:
        return True
    ours, theirs = difference(run.text, wanted), difference(again.text, wanted)
    if not ours:
        return True
    return theirs is not None and ours.line == theirs.line and alike(ours.printed, theirs.printed)


def same_end(one: Problem | None, other: Problem | None) -> bool:
    """True if both ran to the end, or both stopped with the same type of error."""
    if one is None or other is None:
        return one is other
    return one.kind == other.kind and ending(one) == ending(other)


def may_differ(one: Problem | None, other: Problem | None) -> bool:
    """True if two errors of one type may come from one mistake.

    The wording of numpy's errors depends on how a line is written. But a RuntimeError comes from the engine and says
    what is wrong, and a wrong name or attribute may stand anywhere: there only the numbers may differ.
    """
    ours, theirs = error_of(one), error_of(other)
    return not ours.startswith(EXACT) or skeleton(ours) == skeleton(theirs)


def ending(problem: Problem | None) -> str:
    """The type of the error at the end of a problem's sentence."""
    return error_of(problem).partition(":")[0]


def error_of(problem: Problem | None) -> str:
    """The error at the end of a problem's sentence, type and message; "" if there was none.

    The message of a RecursionError is dropped: it depends on what Python was doing when the stack was full.
    """
    words = problem.message.rpartition("stopped with ")[2].partition(MEANT)[0] if problem else ""
    return RecursionError.__name__ if words.startswith(RecursionError.__name__) else words
