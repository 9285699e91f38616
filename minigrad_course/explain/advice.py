"""Explain a program that has run: find causes, try what they propose, and put it into lines."""

from __future__ import annotations

import dataclasses
import os
import re
import textwrap
from typing import Any

from minigrad_course.explain.causes import findings
from minigrad_course.explain.findings import Finding, from_json
from minigrad_course.explain.observing.running import Run
from minigrad_course.explain.program import Program, shown
from minigrad_course.explain.reading import Source
from minigrad_course.explain.trials import trial
from minigrad_course.explain.trials.outcome import outcome
from minigrad_course.explain.trials.pool import Clock, Pool, needed

MOST, SHOWN = 12, 2  # edits of one cause that are tried, and that are given
LONG = 5.0  # seconds: what runs longer is not run again unasked
ENOUGH = 40.0  # seconds for all tries
WIDTH = 100
CLOSE = {"NotANumber", "AllZero"}  # causes that a close look finds
LINE = re.compile(r"\bline (\d+)(?: of (cell \d+|[\w.\-/\\]+))?", re.I)


@dataclasses.dataclass
class Told:
    """A cause, with the advice that kept its promise: (title, path, text, what was seen)."""

    finding: Finding
    advice: list[tuple[str, str, str, str]]
    tried: int


def why_not(done: Run, source: Source) -> str | None:
    """Why a program is not run a second time, or None if that is harmless."""
    for what, (path, line) in done.effects.noted.items():
        where = f" (line {line}{'' if path == source.path else ' of ' + os.path.basename(path)})"
        return f"it {what}{where}"
    if done.story is not None and done.story.ended.took > LONG:
        return f"it ran for {done.story.ended.took:.0f} seconds"
    return None


def explained(done: Run, source: Source, chosen: dict[str, int], pool: Pool | None, anyway: bool = False) -> list[Told]:
    """The causes of what a run in this process did, with tried advice.

    pool: where to try, or None to try nothing; anyway: try although the program does more than compute.
    """
    story = done.story
    if story is None:
        return []
    may = (
        pool is not None
        and (anyway or why_not(done, source) is None)
        and not isinstance(story.error, KeyboardInterrupt)
    )
    files = needed(source, done.effects.read) if may else []
    return advised(source, chosen, outcome(story), findings(story), pool if may else None, files, anyway)


def advised(
    source: Source,
    chosen: dict[str, int],
    before: trial.Outcome,
    found: list[Finding],
    pool: Pool | None,
    files: list[str],
    anyway: bool = False,
) -> list[Told]:
    """Findings, with those of a close look at the pass that needs one, and the advice that kept its promise."""
    look = close_look(before)
    if pool is not None and look is not None and (before["error"] is None or not found):
        most = look + 3 if before["error"] is None else None
        deep = pool.run(source, files, chosen, deep=look, most=most, find=True, free=anyway)
        if not deep["outcome"].get("broken"):
            again = [from_json(item, source.folder) for item in deep["findings"]]
            kinds = {item.cause for item in found}
            close = [item for item in again if item.cause in CLOSE and item.cause not in kinds]
            found = [*close, *[item for item in found if item.cause != "Course" or not close]]
    limit = min(20.0, 5 + 5 * before["took"])
    clock = Clock(ENOUGH)
    known = {item.cause for item in found}
    told = [tried(item, before, source, chosen, pool, files, clock, anyway, limit, known) for item in found]
    return [item for item in told if item.advice or not item.finding.only_with_advice]


def in_pool(source: Source, chosen: dict[str, int], pool: Pool) -> tuple[list[Told], trial.Outcome]:
    """The same with the first run in the pool too, for many programs one after the other."""
    files = needed(source, set())
    first = pool.run(source, files, chosen, find=True)
    if first["outcome"].get("broken"):
        return [], first["outcome"]
    results = [from_json(item, source.folder) for item in first["findings"]]
    return advised(source, chosen, first["outcome"], results, pool, files), first["outcome"]


def close_look(before: trial.Outcome) -> int | None:
    """The pass that is to be looked at node by node, or None."""
    if before["nan"] is not None:
        return max(0, int(before["nan"]) - 1)
    return before["zero"] if before["zero"] is not None else None


def tried(
    finding: Finding,
    before: trial.Outcome,
    source: Source,
    chosen: dict[str, int],
    pool: Pool | None,
    files: list[str],
    clock: Clock,
    anyway: bool,
    limit: float,
    known: set[str],
) -> Told:
    """The edits of a finding that keep their promises. known: the causes that were found before any edit."""
    told = Told(finding, [], 0)
    outcomes: dict[tuple[str, str], trial.Outcome] = {}
    left: dict[tuple[str, str], str] = {}
    given: set[str] = set()
    learnt = False
    for title, edit, promise in finding.remedies if pool is not None else ():
        if len(told.advice) == SHOWN or (told.advice and promise.get("last")) or clock.over():
            break
        key = (edit.path, edit.text)
        if edit.text in given:
            continue
        if key not in outcomes:
            if told.tried == MOST:
                break
            told.tried += 1
            most = before["passes"] + 20 if before["error"] else None
            assert pool is not None
            texts = {edit.path: edit.text}
            reply = pool.run(source, files, chosen, texts=texts, most=most, find=True, free=anyway, limit=limit)
            outcomes[key], left[key] = reply["outcome"], what_is_left(reply, known)
        after = outcomes[key]
        reason = trial.refused(promise, before, after)
        if "MINIGRAD_EXPLAIN_DEBUG" in os.environ:
            print("   ?", title, promise, reason, after.get("error"))
        if reason is not None:
            continue
        learns = trial.learns(promise, after)
        if learnt and not learns:
            continue
        learnt = learnt or learns
        given.add(edit.text)
        told.advice.append((title, edit.path, edit.text, trial.seen(promise, before, after) + left[key]))
    return told


def what_is_left(reply: dict[str, Any], known: set[str]) -> str:
    """What explain would say of the edited program, where the error came before it could be seen."""
    new = [item for item in reply["findings"] if item["cause"] not in known and not item["likely"]]
    said = next((item["says"][0] for item in new if not item["only_with_advice"]), "")
    return f". What is left: {said[:1].lower()}{said[1:].rstrip('.')}" if said else ""


def lines(told: list[Told], programs: dict[str, Program], main: str, reason: str | None = None) -> list[str]:
    """What there is to say of some causes, in lines."""
    out: list[str] = []
    for item in told:
        if out:
            out.append("")
        says = [sentence[:1].upper() + sentence[1:] for sentence in item.finding.says]
        if item.finding.likely:
            says[0] = "Perhaps: " + says[0][:1].lower() + says[0][1:]
        out += textwrap.wrap(" ".join(says), WIDTH, break_long_words=False, break_on_hyphens=False)
        out += named_lines(" ".join(says), programs, main)
        for title, path, text, said in item.advice:
            out.append(f"  {title[:1].upper() + title[1:]}:")
            out += shown(programs[path], text)
            out += textwrap.wrap(f"    tried: {said}", WIDTH, subsequent_indent="    ", break_long_words=False)
        if reason and item.finding.remedies:
            out += textwrap.wrap(f"Nothing was tried: {reason}. `--try` tries all the same.", WIDTH)
            reason = None
    return out


def named_lines(said: str, programs: dict[str, Program], main: str) -> list[str]:
    """The lines of the program that some sentences name, from the top."""
    wanted: dict[tuple[str, int], None] = {}
    for number, of in LINE.findall(said):
        program = next((one for one in programs.values() if of and one.name == of), programs.get(main))
        if program is None:
            continue
        line = int(number)
        if of.startswith("cell "):
            line += next((first - 1 for first, name in program.cells if name == of), 0)
        wanted[program.path, line] = None
    out = []
    for path, line in sorted(wanted, key=lambda item: (item[0] != main, item)):
        texts = programs[path].text.splitlines()
        if 0 < line <= len(texts):
            out.append(f"  {programs[path].at_line(line)}  {texts[line - 1].strip()}"[:WIDTH])
    return out


def as_json(told: list[Told], programs: dict[str, Program]) -> list[dict[str, Any]]:
    """What there is to say, for programs."""
    return [
        {
            "cause": item.finding.cause,
            "says": item.finding.says,
            "likely": item.finding.likely,
            "tried": item.tried,
            "advice": [
                {"title": title, "file": path, "change": shown(programs[path], text), "seen": said}
                for title, path, text, said in item.advice
            ],
        }
        for item in told
    ]
