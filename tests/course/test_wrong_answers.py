"""Plausible wrong answers: none passes, and at least nine in ten are called by the right name."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Iterator

import pytest
from answered import judged, written

from minigrad.compat import versions
from minigrad_course import parts
from minigrad_course.checks import verdicts
from minigrad_course.checks.reference import reference

WRONG = {
    part: answers
    for chapter in parts.chapters()
    for part, answers in importlib.import_module(f"wrong.{chapter.name[3:]}").WRONG.items()
}
PARTS = [part.name for chapter in parts.chapters() for part in chapter.parts]

# What a mistake and what torch come to is the same each time.
once_with_mistake = functools.cache(verdicts.with_mistake)
once_reference = functools.cache(reference)


@pytest.fixture(autouse=True)
def run_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdicts, "with_mistake", once_with_mistake)
    monkeypatch.setattr(verdicts, "reference", once_reference)


def is_called(verdict: verdicts.Verdict, name: str) -> bool:
    """Whether the verdict names that mistake; or, where the name begins with "says", has these words in it."""
    if name.startswith("says "):
        return name.removeprefix("says ") in verdict.told()
    return verdict.mistake is not None and verdict.mistake.name == name


def test_no_wrong_answer_passes_and_nine_in_ten_get_the_right_name() -> None:
    assert {part: len(WRONG.get(part, ())) for part in PARTS if len(WRONG.get(part, ())) < 6} == {}
    every = [
        (part, name, judged(part, written(part, answer))) for part in PARTS for name, answer in WRONG[part].items()
    ]
    assert [(part, name) for part, name, verdict in every if verdict.state != "wrong"] == []
    misnamed = [(part, name) for part, name, verdict in every if not is_called(verdict, name)]
    assert len(misnamed) <= len(every) / 10, misnamed


@pytest.fixture(params=versions.KNOWN)
def spoken(request: pytest.FixtureRequest) -> Iterator[str]:
    """Each version of torch in turn, as minigrad speaks it."""
    before = versions.spoken, versions.said
    versions.speak(request.param)
    yield request.param
    versions.speak(*before)


@pytest.mark.parametrize(("part", "name"), [("roots", "clamped"), ("masked", "clamped at 0")])
def test_a_clamp_that_helps_only_later_versions_of_torch_is_wrong_whichever_is_installed(
    part: str, name: str, spoken: str
) -> None:
    verdict, right = judged(part, written(part, WRONG[part][name])), judged(part, written(part, []))
    assert versions.spoken == spoken
    assert verdict.state == "wrong" and is_called(verdict, name), verdict
    assert verdict.lines()[0][1].split(":")[0] == "torch 2.13"
    assert right.state == "passed", right
