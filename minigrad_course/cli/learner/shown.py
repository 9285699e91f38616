"""How a verdict looks in a terminal: the sentence first, then the lines that a reader needs, in colour."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

from rich.console import Console
from rich.text import Text

from minigrad_course.checks.exercise import Outcome
from minigrad_course.checks.verdicts import HINT_IN_TERMINAL as HINT
from minigrad_course.checks.verdicts import Verdict
from minigrad_course.learner.progress import MARKS, STYLES, Standing
from minigrad_course.programs.compare import alike, excerpt

ALL = "minigrad check {} --all"
ONE_BY_ONE = "minigrad check {}{} tests the parts one by one: start with the first one that fails."
SOFT = "bright_black"
LABELS = {"yours": "red", "torch": "green", "right": "green"}


def told(outcome: Outcome, every: bool = False, alone: bool = True, where: str = "") -> Text:
    """The verdict on a check, with the first line that differs and the one above it, or with all lines.

    alone: whether it says which commands tell more; where: the option with which they find the folder.
    """
    if outcome.verdict is None:
        return Text.assemble(mark(outcome.state), f" {outcome.check}: {outcome.sentence}")
    verdict = outcome.verdict
    lines = [headline(verdict.sentence, outcome.state)]
    hint = HINT.format(outcome.check) + where
    pairs = list(all_lines(verdict) if every else first_difference(verdict))
    lines += [labelled(label, text) for label, text in pairs]
    if advice := verdict.advice_with(HINT + where):
        if verdict.together and alone:
            advice = ONE_BY_ONE.format(outcome.chapter.number, where)
        lines.append(Text(f"   {advice}"))
    lines += [Text(f"   {note}") for note in outcome.notes]
    if verdict.mistake and alone and hint not in (advice or ""):
        lines.append(Text(f"   For a hint, {hint}.", SOFT))
    if every and verdict.noisy:
        lines += [Text("   With what your answer prints:"), *(Text(f"   {line}") for line in verdict.text.splitlines())]
    elif (pairs or verdict.noisy) and not every and alone:
        lines.append(Text(f"   All lines: {ALL.format(outcome.check)}{where}", SOFT))
    return Text("\n").join(lines)


def first_difference(verdict: Verdict) -> Iterator[tuple[str, str]]:
    """The first line that differs, labelled, and the last that was alike before it."""
    pairs = verdict.lines()
    if pairs and verdict.difference:
        above = [line for line in verdict.heard.splitlines()[: verdict.difference.line - 1] if line.strip()]
        yield from [("both", excerpt(line, 0)) for line in above[-1:]]
    yield from pairs


def all_lines(verdict: Verdict) -> Iterator[tuple[str, str]]:
    """Every line, labelled by who printed it."""
    ours, theirs = ((text or "").rstrip().splitlines() for text in (verdict.heard, verdict.wanted))
    if verdict.state == "passed":
        ours = theirs = verdict.text.rstrip().splitlines()
    for one, other in itertools.zip_longest(ours, theirs):
        if one is not None and other is not None and alike(one, other):
            yield "both", one
            continue
        yield from ((label, text) for label, text in (("yours", one), (verdict.target, other)) if text is not None)


def mark(state: str) -> tuple[str, str]:
    """The mark of a state, and its style."""
    return MARKS[state][0], f"bold {STYLES[state]}"


def headline(sentence: str, state: str) -> Text:
    """A verdict's first line: its mark in colour, the name of the check in bold."""
    name, colon, rest = sentence[1:].partition(":")
    return Text.assemble(mark(state), (name, "bold"), colon + rest)


def labelled(label: str, text: str) -> Text:
    """A printed line with who printed it."""
    return Text.assemble("   ", (f"{label}:", LABELS.get(label, SOFT)), f"{' ' * (6 - len(label))}{text}")


def in_brief(outcomes: Iterable[Outcome]) -> Iterator[Text]:
    """The verdicts on several checks; checks in a row about which there is no more to say than a word share a line.

    An unreadable file is mentioned once, and a bug nobody has looked for is not given away.
    """
    before = Text()
    for word, group in itertools.groupby(outcomes, key=in_a_word):
        if word:
            names = ", ".join(item.check for item in group)
            yield Text.assemble(mark(word), (f" {names}", "bold"), f": {word}.")
            continue
        for outcome in group:
            if outcome.verdict is None:
                text = Text.assemble(mark(outcome.state), f" {outcome.sentence}")
            else:
                text = told(outcome, alone=False)
            if text != before:
                yield text
            before = text


def in_a_word(outcome: Outcome) -> str:
    """The state of a check, where there is nothing else to say about it; else nothing."""
    return outcome.state if outcome.state in ("passed", "open") and not (outcome.why or outcome.notes) else ""


def total(
    outcomes: tuple[Outcome, ...], screen: Console, last: bool = True, where: str = "", more: bool = True
) -> None:
    """Print what the checks of a chapter come to, and, if this is the `last` chapter, what to do next.

    where: the option with which further commands find the folder; more: whether to name those that tell more.
    """
    standing, chapter = Standing(outcomes), outcomes[0].chapter
    which = f"Chapter {chapter.number}"
    if len(outcomes) < len(chapter.checks):
        which = f"{len(outcomes)} of the {len(chapter.checks)} checks of chapter {chapter.number}"
    if wrong := [outcome for outcome in outcomes if outcome.state == "wrong" and outcome.check != chapter.together]:
        hints = [item for item in wrong if item.verdict and item.verdict.mistake][:1]
        printed = [item for item in wrong if item.verdict and (item.verdict.noisy or item.verdict.lines())][:1]
        named = [f"For a hint, {HINT.format(hint.check)}{where}" for hint in hints]
        named += [f"All lines: {ALL.format(item.check)}{where}" for item in printed]
        if named and more:
            screen.print(Text(". ".join(named), SOFT))
    screen.print(
        Text.assemble((f"{which}: {standing.summary}", "bold"), f" {standing.next}" if last else ""),
    )
