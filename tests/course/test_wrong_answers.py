"""Plausible wrong answers: none passes, and at least nine in ten are called by the right name."""

import functools
import importlib
import os
import re
import textwrap

import pytest

from minigrad.compat import versions
from minigrad_course import parts
from minigrad_course.checks import verdicts
from minigrad_course.checks.reference import reference
from minigrad_course.programs import cells, program
from minigrad_course.texts import source

BODY = re.compile(r"^( *)### BEGIN SOLUTION\n.*?^ *### END SOLUTION\n?", re.DOTALL | re.MULTILINE)
WRONG = {
    part: answers
    for chapter in parts.chapters()
    for part, answers in importlib.import_module(f"wrong.{chapter.name[3:]}").WRONG.items()
}
PARTS = [part.name for chapter in parts.chapters() for part in chapter.parts]


@functools.cache
def cells_of(chapter):
    return source.read("solutions", chapter.name).cells


def written(part, answer):
    """The source of an answer's cell: our own with other lines in it, or with some of its words replaced."""
    chapter = parts.chapter_of(part)
    text = next(cell.source for cell in cells_of(chapter) if cell.role == "answer" and cell.part == part)
    if isinstance(answer, str):
        bodies = iter(answer.split("\n---\n"))
        made = BODY.sub(lambda found: textwrap.indent(next(bodies), found[1]) + "\n", text)
        assert made != text
        assert next(bodies, None) is None
        return made
    for change in answer:
        before, after = change.split(" -> ")
        assert before in text, f"{part} has no {before}"
        text = text.replace(before, after)
    return text


def verdict_on(part, answer):
    """What the check in a notebook says about an answer."""
    chapter = parts.chapter_of(part)
    answers = program.Answers()
    namespace = {"__name__": "__main__", "part": answers.part}
    for cell in [cell.source for cell in cells_of(chapter) if cell.role == "setup"] + [written(part, answer)]:
        assert cells.run_cell(cell, namespace) is None, cell
    text = source.read("solutions", chapter.name).programs()[part]
    return verdicts.judge(verdicts.Here(chapter, part, text, answers))


@pytest.fixture(autouse=True)
def run_once(monkeypatch):
    """What a mistake and what torch come to is the same each time."""
    monkeypatch.setattr(verdicts, "with_mistake", once_with_mistake)
    monkeypatch.setattr(verdicts, "reference", once_reference)


once_with_mistake = functools.cache(verdicts.with_mistake)
once_reference = functools.cache(reference)


def test_there_are_eight_for_each_part():
    assert {part: len(WRONG.get(part, ())) for part in PARTS if len(WRONG.get(part, ())) < 8} == {}


def is_called(verdict, name):
    """Whether the verdict names that mistake; or, where the name begins with "says", has these words in it."""
    if name.startswith("says "):
        return name.removeprefix("says ") in verdict.told()
    return verdict.mistake is not None and verdict.mistake.name == name


@functools.cache
def judged(part):
    """(the name it should have, the answer, the verdict) for each wrong answer to a part."""
    answers = WRONG[part] if "MINIGRAD_SEEDS" in os.environ else WRONG[part][::2]  # all of them in `make corpora`
    return [(name, answer, verdict_on(part, answer)) for name, answer in answers]


@pytest.mark.parametrize("part", PARTS)
def test_no_wrong_answer_passes(part):
    assert [(name, answer) for name, answer, verdict in judged(part) if verdict.state != "wrong"] == []


def test_nine_in_ten_get_the_right_name():
    every = [(part, *each) for part in PARTS for each in judged(part)]
    misnamed = [(part, name, answer) for part, name, answer, verdict in every if not is_called(verdict, name)]
    assert len(misnamed) <= len(every) / 10, misnamed


@pytest.mark.parametrize("spoken", versions.KNOWN)
@pytest.mark.parametrize(("part", "name"), [("roots", "clamped"), ("masked", "clamped at 0")])
def test_a_clamp_that_helps_only_later_versions_of_torch_is_wrong_whichever_is_installed(part, name, spoken):
    before = versions.spoken, versions.said
    every = [answer for called, answer in WRONG[part] if called == name]
    try:
        versions.speak(spoken)
        found = [verdict_on(part, answer) for answer in every]
        passed = verdict_on(part, [])
        assert versions.spoken == spoken
    finally:
        versions.speak(*before)
    assert len(found) >= 2
    assert all(verdict.state == "wrong" and is_called(verdict, name) for verdict in found), found
    assert {verdict.lines()[0][1].split(":")[0] for verdict in found} == {"torch 2.13"}
    assert passed.state == "passed", passed
