"""Answers that know nothing earn nothing, with any seed; those that no check can tell are a table of their own.

MINIGRAD_SEEDS says how many seeds; without it, one, and a sample of the answers.
"""

import importlib
import inspect
import json
from pathlib import Path

import pytest
import searched
from answers import TWINS
from judges import FIRST, Remembering, sample, seeds
from knowing_nothing import FAMILIES, LENT
from submissions import solution_of
from undecidable import CANNOT_TELL, why

from minigrad_course import parts
from minigrad_course.grading.book.similar import OURS_STEPS, Answers, engine_statements, given_statements
from minigrad_course.grading.judge.judge import submission_of
from minigrad_course.grading.records.alike import Same
from minigrad_course.grading.records.record import Record

TOLD = {
    family: {name: attack for name, attack in attacks.items() if not why(name)} for family, attacks in FAMILIES.items()
} | {"searched": searched.TOLD}
ATTACKS = sample(TOLD, 3)
UNTOLD = sample(CANNOT_TELL, 6)
WITHOUT_LOGARITHMS = {name: twin for name, twin in TWINS.items() if "log" not in twin.answer}  # of negative numbers
COULD_BE_LENT = sample({"lent": LENT, "twins": WITHOUT_LOGARITHMS}, 4)


def submitted(attack):
    """Our solution, with this answer to one part."""
    notebook = solution_of(parts.chapter_of(attack.part), **{attack.part: attack.answer})
    return submission_of(Path("x.ipynb"), json.dumps(notebook).encode())


def points(judges, attack):
    """What an answer earns for its part, by seed."""
    submission = submitted(attack)
    return {seed: judges[seed].result(submission, attack.part).points for seed in seeds(default=1)}


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS.keys())
def test_it_earns_nothing(judges, attack):
    assert points(judges, attack) == dict.fromkeys(seeds(default=1), 0)


@pytest.mark.parametrize(("attack", "reason"), UNTOLD.values(), ids=UNTOLD.keys())
def test_it_cannot_be_told_from_an_honest_one(judges, attack, reason):
    """With some numbers what it searches for is not there, and it is told after all."""
    full = parts.chapter_of(attack.part).points(attack.part)
    assert reason and full in points(judges, attack).values()


@pytest.fixture(scope="module")
def credulous():
    """A judge that leaves all derivatives in the engine, for whoever asks."""

    class Credulous(Remembering):
        def derivatives(self, chapter, check):
            return None

        def lends(self, chapter, check):
            return True

    with Credulous(FIRST) as judge:
        yield judge


@pytest.mark.parametrize("attack", COULD_BE_LENT.values(), ids=COULD_BE_LENT.keys())
def test_the_engine_could_lend_it(credulous, attack):
    """So the attacks are real, and what refuses them is that nothing is lent."""
    assert credulous.result(submitted(attack), attack.part).passed


def own_steps(chapter, part):
    """How much of the engine's version of a part is not given in the exercise."""
    given = given_statements(chapter.name, part)
    return sum(steps for name, steps in engine_statements(chapter.name, part).items() if name not in given)


TYPES = "from collections.abc import Callable, Sequence\n"  # which its signatures take


def test_the_engine_s_own_text_is_listed_as_ours():
    listed = {}
    for chapter in parts.chapters():
        for part in chapter.parts:
            if own_steps(chapter, part.name) >= OURS_STEPS:
                ours = getattr(importlib.import_module(part.place.module), part.place.attribute)
                texts = {part.name: f'{TYPES}@part("{part.name}")\n{inspect.getsource(ours)}'}
                answers = Answers(whole=lambda place: None)
                answers.add(Record("somebody/1", "somebody", exercise=chapter.name, answers=texts))
                listed[part.name] = answers.same_as_ours() == [Same("somebody", chapter.name, (part.name,))]
    assert len(listed) >= 12 and [name for name, each in listed.items() if not each] == []
